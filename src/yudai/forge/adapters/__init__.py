"""Git, folders of this machine, mirrors of remote repositories, and GitHub's API."""
