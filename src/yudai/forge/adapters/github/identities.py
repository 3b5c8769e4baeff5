"""What a credential is to the client."""

from yudai.forge.adapters.github.messages import Identity
from yudai.forge.ports.remote import Credential, CredentialKind

_REMEDIES = {
    CredentialKind.ANONYMOUS: "log in, or set GITHUB_TOKEN",
    CredentialKind.SERVER: "GITHUB_TOKEN is not good, or not any more: set another",
    CredentialKind.USER: "the login has ended: log in again",
    CredentialKind.APP: "the App's token has ended: try again",
}
THE_APP = Identity(
    remedy="GITHUB_APP_ID and the key at GITHUB_APP_PRIVATE_KEY_PATH have to belong together",
    is_app=True,
)


def identity(by: Credential, *, owner: str = "") -> Identity:
    """`owner`: whose repository is asked about, which an App's installation belongs to."""
    return Identity(
        remedy=_REMEDIES[by.kind],
        token=by.token,
        writer=f"{by.kind}:{by.login}:{owner}".lower(),
    )
