"""Conversations: chat about a repository, in which solves start and report their milestones.

Start with `service.py` (create, list, post a message); `answer.py` lets a model answer free text,
`milestones.py` posts what happened to a solve.
"""
