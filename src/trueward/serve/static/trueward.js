/* trueward.js: which version to show in a web page, and what the participant said to it. MIT licence.

   const study = trueward.connect({ url: "https://study.example.org", study: "explanations", key: "tw_pk_…" });
   const shown = await study.decide({ participant: "p17" });     // shown.arm, shown.payload
   await study.rate(shown, 4, { seconds: 12 });

   What was decided, and ratings that could not be sent yet, are kept in localStorage: a page that is loaded again shows
   the same, and a rating given offline is sent when the connection is back, or when the page is opened again. */
(function () {
  "use strict";

  const PAUSES = [1, 2, 5, 10, 30, 60]; // seconds between attempts
  const memory = new Map(); // where there is no localStorage

  function store(name, value) {
    memory.set(name, value);
    try {
      value === undefined ? localStorage.removeItem(name) : localStorage.setItem(name, JSON.stringify(value));
    } catch (error) { /* full, or not allowed: then as long as the page is open */ }
  }

  function stored(name) {
    try {
      const text = localStorage.getItem(name);
      return text === null ? memory.get(name) : JSON.parse(text);
    } catch (error) {
      return memory.get(name);
    }
  }

  function newId() {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  }

  class Refused extends Error {
    constructor(status, problem) {
      super((problem && problem.detail) || "the service answered " + status);
      this.name = "Refused";
      this.status = status;
      this.problem = problem;
    }
  }

  class Study {
    constructor({ url, study, key }) {
      this._base = url.replace(/\/+$/, "") + "/v1/studies/" + encodeURIComponent(study);
      this._key = key;
      this._room = "trueward:" + url + ":" + study + ":";
      this._outbox = this._room + "outbox";
      this._failures = 0;
      addEventListener("online", () => this.flush());
      this.flush();
    }

    /* Say what to show: the same again for the same participant and occasion. Without a participant, one is made up and
       kept in this browser. `signature` is your server's, for participants whom it knows. */
    async decide({ participant, occasion = "1", signature } = {}) {
      if (participant === undefined) {
        participant = stored(this._room + "participant") || newId();
        store(this._room + "participant", participant);
      }
      const name = this._room + "shown:" + JSON.stringify([participant, occasion]);
      const known = stored(name);
      if (known && known.token) return known;
      const called = stored(name + ":called") || newId(); // the same request when it is sent again
      store(name + ":called", called);
      const body = { participant, occasion };
      if (signature !== undefined) body.signature = signature;
      const shown = await this._patiently(() => this._send("POST", "/decisions", body, called));
      store(name, shown);
      store(name + ":called", undefined);
      return shown;
    }

    /* Rate what was shown. Answers {sent: true}; or {sent: false} where it is kept, to be sent later. */
    async rate(shown, value, evidence) {
      const body = { value, token: shown.token };
      if (evidence !== undefined) body.evidence = evidence;
      const letter = { id: newId(), number: shown.number, body };
      store(this._outbox, [...this._letters(), letter]);
      return this._deliver(letter);
    }

    /* Send the ratings that are kept; returns how many are left. */
    async flush() {
      for (const letter of this._letters()) {
        try {
          if (!(await this._deliver(letter)).sent) break;
        } catch (error) {
          if (!(error instanceof Refused)) throw error;
          console.warn("trueward: a rating was refused: " + error.message);
        }
      }
      return this.unsent;
    }

    /* How many ratings are kept, to be sent. */
    get unsent() {
      return this._letters().length;
    }

    _letters() {
      return stored(this._outbox) || [];
    }

    async _deliver(letter) {
      try {
        await this._send("PUT", "/decisions/" + letter.number + "/reward", letter.body);
      } catch (error) {
        if (!(error instanceof Refused) || error.status === 429 || error.status >= 500) {
          this._tryAgainLater();
          return { sent: false };
        }
        this._drop(letter);
        throw error;
      }
      this._failures = 0;
      this._drop(letter);
      return { sent: true };
    }

    _drop(letter) {
      const left = this._letters().filter((other) => other.id !== letter.id);
      store(this._outbox, left.length ? left : undefined);
    }

    _tryAgainLater() {
      clearTimeout(this._timer);
      const pause = PAUSES[Math.min(this._failures++, PAUSES.length - 1)];
      this._timer = setTimeout(() => this.flush(), 1000 * pause);
    }

    /* Try again, for half a minute, where nobody answers. */
    async _patiently(attempt) {
      for (const pause of [0.5, 1, 2, 5, 10, 10, null]) {
        try {
          return await attempt();
        } catch (error) {
          const final = error instanceof Refused && error.status < 500 && error.status !== 429;
          if (final || pause === null) throw error;
          await new Promise((resolve) => setTimeout(resolve, 1000 * pause));
        }
      }
    }

    async _send(method, path, body, called) {
      const headers = { Authorization: "Bearer " + this._key, "Content-Type": "application/json" };
      if (called) headers["Idempotency-Key"] = called;
      const options = { method, headers, body: JSON.stringify(body), credentials: "omit", keepalive: true };
      const answer = await fetch(this._base + path, options);
      const said = await answer.json().catch(() => null);
      if (!answer.ok) throw new Refused(answer.status, said);
      return said;
    }
  }

  globalThis.trueward = { connect: (options) => new Study(options), Refused };
})();
