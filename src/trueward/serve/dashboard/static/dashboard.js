// Charts, live pages, and small comforts. Every page works without it, but for the charts.
"use strict";

const quiet = { actions: false, ast: true, renderer: "svg", defaultStyle: false, tooltip: { disableDefaultStyle: true, theme: "page" } };
const drawn = new Map(); // by element: what was drawn, and how to end it

function token(name) { return getComputedStyle(document.documentElement).getPropertyValue(name).trim(); }

function theme() {
  const ink = token("--ink"), soft = token("--soft"), line = token("--line"), font = "system-ui, Segoe UI, Roboto, sans-serif";
  const words = { labelColor: soft, titleColor: soft, labelFontSize: 11.5, titleFontSize: 11.5, titleFontWeight: 500 };
  return {
    background: "transparent", font, view: { stroke: "transparent" },
    axis: { ...words, gridColor: line, domainColor: line, tickColor: line, titlePadding: 8, labelPadding: 5 },
    legend: { ...words, labelColor: ink, labelFontSize: 12, rowPadding: 4, columnPadding: 18, offset: 10, symbolSize: 110 },
    rule: { color: ink }, text: { color: soft },
  };
}

function draw(chart) {
  const text = document.getElementById(chart.dataset.spec).textContent, look = matchMedia("(prefers-color-scheme: dark)").matches;
  const before = drawn.get(chart);
  if (before && before.text === text && before.look === look) return;
  drawn.set(chart, { text, look, end: before?.end });
  const spec = JSON.parse(text);
  if (chart.clientWidth < 480) narrow(spec);
  const place = document.createElement("div");
  place.className = "drawing";
  if (before) place.classList.add("next");
  chart.append(place);
  vegaEmbed(place, spec, { ...quiet, config: theme() }).then((made) => {
    for (const old of chart.querySelectorAll(".drawing")) if (old !== place) old.remove();
    before?.end?.();
    place.classList.remove("next");
    drawn.set(chart, { text, look, end: () => made.finalize() });
    chart.dataset.drawn = "yes";
  }, (reason) => { chart.textContent = "This chart could not be drawn: " + reason; chart.classList.add("failed"); });
}

function narrow(spec) {
  for (const layer of spec.layer) {
    const { x, y, color } = layer.encoding;
    if (x?.axis) x.axis.tickCount = 4;
    if (y?.axis) y.axis.titlePadding = 4;
    if (color?.legend) color.legend.columns = 2;
  }
}

function drawAll() { if (window.vegaEmbed) for (const chart of document.querySelectorAll(".chart")) draw(chart); }

// A page is told that the study has moved on, and fetches itself; at most every two seconds, and only if it is seen.
function listen(address) {
  const sign = document.getElementById("live"), refresh = document.body.dataset.onMove === "refresh";
  let last = Number(document.body.dataset.seq), waiting = false;
  const stream = new EventSource(address);
  function tell() {
    waiting = false;
    if (document.hidden) return;
    if (refresh) document.body.dispatchEvent(new CustomEvent("moved"));
    else for (const note of document.querySelectorAll(".moved")) note.hidden = false;
  }
  stream.addEventListener("open", () => { sign.hidden = false; sign.classList.remove("away"); sign.querySelector(".words").textContent = "live"; });
  stream.addEventListener("error", () => { if (stream.readyState === EventSource.CLOSED) { sign.classList.add("away"); sign.querySelector(".words").textContent = "not live: reload the page"; } });
  stream.addEventListener("moved", (event) => {
    if (Number(event.data) === last || waiting) return;
    last = Number(event.data);
    waiting = true;
    setTimeout(tell, 2000);
  });
  document.addEventListener("visibilitychange", () => { if (!document.hidden && refresh) tell(); });
  addEventListener("pagehide", () => stream.close());
}

function comfort() {
  for (const choice of document.querySelectorAll("select[data-submit]")) choice.onchange = () => choice.form.requestSubmit();
  for (const button of document.querySelectorAll("[data-copy]")) {
    button.onclick = () => navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent).then(() => { button.textContent = "Copied"; });
  }
}

document.addEventListener("htmx:after:swap", () => { drawAll(); comfort(); });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
comfort();
drawAll();
document.querySelector(".tabs [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
if (document.body.dataset.live) listen(document.body.dataset.live);
