"""Signatures of participants, made by a study's own server with its key, so that nobody can guess their ids.

signature = <key id> . HMAC-SHA-256( key: SHA-256 of the key, in hex;  message: study, a new line, participant )
"""

import hashlib
import hmac


def digest_of(text: str) -> str:
    """Return what the database holds of a key."""
    return hashlib.sha256(text.encode()).hexdigest()


def sign_participant(key: str, study: str, participant: str) -> str:
    """Return the signature with which a study's server vouches for a participant's id, made with its key.

    >>> sign_participant("tw_sk_0a1b2c_d4e5", "explanations", "p17")[:16]
    '0a1b2c.29491a0e5'
    """
    return f"{key.split('_')[2]}.{_signature(digest_of(key), study, participant)}"


def is_signed(signature: str, digest: str, study: str, participant: str) -> bool:
    """Return whether a signature was made with the key of a digest."""
    given = signature.partition(".")[2].encode(errors="replace")
    return hmac.compare_digest(given, _signature(digest, study, participant).encode())


def _signature(digest: str, study: str, participant: str) -> str:
    return hmac.new(digest.encode(), f"{study}\n{participant}".encode(), hashlib.sha256).hexdigest()
