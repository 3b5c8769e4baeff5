"""Scripts that run inside a sandbox, with the repository's own Python (3.8 on) or Node (20 on).

A report is sealed with a key whose file is read and removed before any code of the repository is
loaded. That cannot hold where the repository makes Node itself load code first: NODE_OPTIONS in a
test script, or flags of Node in mocha's configuration. Code that runs in a reporter's own process
(pytest, unittest, mocha, jest in one process) shares its memory, and node:test's child processes
report their own results. A report is therefore reliable for honest and for faulty code, but not
for hostile code; verification/domain/edits/tampering.py looks for that in a patch's text.
"""
