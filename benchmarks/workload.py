"""The common workload of trueward and its peers: plain numbers that every environment can import."""

import math

P = (0.9, 0.8, 0.8, 0.8, 0.8)  # of five Bernoulli arms
MEANS, SD = (9.0, 8.0, 8.0, 8.0, 8.0), 1.265  # of five Gaussian ones
N_ARMS = len(P)
HORIZON = 1000
ALPHA = 0.1  # trimmed from each end
GAMMA = min(1.0, math.sqrt(N_ARMS * math.log(N_ARMS) / ((math.e - 1.0) * HORIZON)))  # of EXP3

UCB1, EXP3, TSALLIS, THOMPSON, TRIMMED = "UCB1", "EXP3", "Tsallis-INF", "Thompson (Beta)", "crUCB (trimmed mean)"
ALGORITHMS = (UCB1, EXP3, TSALLIS, THOMPSON, TRIMMED)

FIRST_GAMES = 64  # that are compiled at first use
RELEARNED = 20_000  # ratings that a bandit learns again

THREADS = 8  # that ask and tell concurrently in a study
LOG_ALONE, UNIFORM, CRUCB, WARY = "the log alone", "uniform", "crUCB (trimmed mean)", "Wary"
