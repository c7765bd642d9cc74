/* The same games in C, as the limit of what a compiled loop can do: UCB, and UCB with the trimmed mean.

   As in trueward: sqrt(log t) once per round, the highest index wins, ties within 1e-12 are broken at random, and the
   pulls are written down at every checkpoint. The tables of rewards are given. */

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define MOST_ARMS 64
#define TIE 1e-12
#define EDGE 1e-9

typedef struct {
    int64_t size, start, stop; /* rewards, and the kept ranks */
    double kept, *ordered;     /* the sum of the kept, and all rewards in order */
} Sample;

static uint64_t seed = 88172645463325252ULL;

static double uniform(void) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (seed >> 11) * 0x1p-53;
}

static int one_of_the_best(const double *upper, int arms, double bar) {
    int ties = 0, best = 0;
    for (int a = 0; a < arms; a++) ties += upper[a] >= bar;
    int skip = (int)(uniform() * ties);
    for (int a = 0; a < arms; a++)
        if (upper[a] >= bar && skip-- == 0) best = a;
    return best;
}

static inline int choose(const double *estimate, const double *width, int arms, double root) {
    double upper[MOST_ARMS], top = -INFINITY, second = -INFINITY;
    int best = 0;
    for (int a = 0; a < arms; a++) {
        upper[a] = estimate[a] + root * width[a];
        if (upper[a] > top) {
            second = top;
            top = upper[a];
            best = a;
        } else if (upper[a] > second) {
            second = upper[a];
        }
    }
    return second >= top - TIE ? one_of_the_best(upper, arms, top - TIE) : best;
}

static double insert_trimmed(Sample *s, double x, double alpha) {
    int64_t low = 0, high = s->size;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (s->ordered[middle] <= x) low = middle + 1;
        else high = middle;
    }
    memmove(s->ordered + low + 1, s->ordered + low, (size_t)(s->size - low) * sizeof(double));
    s->ordered[low] = x;
    int64_t n = ++s->size;
    if (low < s->start) {
        s->start++;
        s->stop++;
    } else if (low < s->stop || n == 1) {
        s->kept += x;
        s->stop++;
    }
    int64_t start = (int64_t)ceil(alpha * n - EDGE);
    if (start > (n - 1) / 2) start = (n - 1) / 2;
    int64_t stop = n - start;
    while (s->start > start) s->kept += s->ordered[--s->start];
    while (s->stop < stop) s->kept += s->ordered[s->stop++];
    while (s->start < start) s->kept -= s->ordered[s->start++];
    while (s->stop > stop) s->kept -= s->ordered[--s->stop];
    return s->kept / (stop - start);
}

/* What a game of contaminated rewards also reads and writes; all NULL where it does not. */
typedef struct {
    const double *attack; /* (trials, rounds, arms) shown instead of the truth, or NaN */
    int64_t *played;      /* (rounds) of the trial under way, which an adversary may look at */
    double *observed;     /* (rounds) likewise */
    double *sums;         /* (trials, checkpoints, 2) true and observed reward so far */
} Contaminated;

/* `room` is (arms, rounds) for the trimmed mean, and NULL for the plain one; pulls are (trials, checkpoints, arms). */
static inline void play(const double *tables, int trials, int rounds, int arms, double scale, const int64_t *checkpoints,
                        int points, int32_t *pulls, double alpha, double *room, Contaminated with) {
    for (int i = 0; i < trials; i++) {
        const size_t trial = (size_t)i * rounds * arms;
        double estimate[MOST_ARMS], width[MOST_ARMS], mean[MOST_ARMS], sum = 0.0, seen = 0.0;
        int64_t n[MOST_ARMS];
        Sample samples[MOST_ARMS];
        for (int a = 0; a < arms; a++) {
            estimate[a] = INFINITY;
            width[a] = mean[a] = 0.0;
            n[a] = 0;
            samples[a] = (Sample){0, 0, 0, 0.0, room ? room + (size_t)a * rounds : NULL};
        }
        int64_t t = 0;
        for (int c = 0; c < points; c++) {
            while (t < checkpoints[c]) {
                t++;
                int arm = choose(estimate, width, arms, sqrt(log((double)t)));
                size_t cell = trial + (size_t)(t - 1) * arms + arm;
                double truth = tables[cell], x = truth;
                n[arm]++;
                if (with.attack) {
                    if (with.attack[cell] == with.attack[cell]) x = with.attack[cell];
                    with.played[t - 1] = arm;
                    with.observed[t - 1] = x;
                    sum += truth;
                    seen += x;
                }
                if (room) {
                    estimate[arm] = insert_trimmed(&samples[arm], x, alpha);
                } else {
                    mean[arm] += (x - mean[arm]) / n[arm];
                    estimate[arm] = mean[arm];
                }
                width[arm] = scale / sqrt((double)n[arm]);
            }
            if (with.attack) {
                with.sums[((size_t)i * points + c) * 2] = sum;
                with.sums[((size_t)i * points + c) * 2 + 1] = seen;
            }
            for (int a = 0; a < arms; a++) pulls[((size_t)i * points + c) * arms + a] = (int32_t)n[a];
        }
    }
}

void play_ucb(const double *tables, int trials, int rounds, int arms, double scale, const int64_t *checkpoints,
              int points, int32_t *pulls) {
    play(tables, trials, rounds, arms, scale, checkpoints, points, pulls, 0.0, NULL, (Contaminated){0});
}

void play_trimmed(const double *tables, int trials, int rounds, int arms, double scale, const int64_t *checkpoints,
                  int points, int32_t *pulls, double alpha, double *room) {
    play(tables, trials, rounds, arms, scale, checkpoints, points, pulls, alpha, room, (Contaminated){0});
}

void play_contaminated(const double *tables, int trials, int rounds, int arms, double scale, const int64_t *checkpoints,
                       int points, int32_t *pulls, const double *attack, int64_t *played, double *observed,
                       double *sums) {
    play(tables, trials, rounds, arms, scale, checkpoints, points, pulls, 0.0, NULL,
         (Contaminated){attack, played, observed, sums});
}
