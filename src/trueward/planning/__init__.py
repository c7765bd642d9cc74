"""Before a study: how many participants it takes, with which policy, and what an attack would do to it.

plan = tw.plan(scale=(1, 5), arms=["video", "text", "quiz"], difference=0.5, participants=300)
print(plan.recommendation);    plan.table();    print(plan.python)
"""
