"""How someone is reached on the net: e-mail, web and network addresses, handles."""

from __future__ import annotations

import ipaddress

from sfumato.detectors.rules.patterns import Pattern, alternatives


def is_ip_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


_LOGIN_WORDS = alternatives(
    (
        "username;user name;userid;user id;login;screen name;handle;nick;nickname;usuario;benutzer;benutzername;"
        "nom d'utilisateur;identifiant;nome utente;utilizador;gebruikersnaam"
    ).split(";")
)

PATTERNS = (
    Pattern(
        "email",
        "CODE",
        # The local part is tried from its start only, so that a long token costs one pass.
        r"(?<![\w.!#$%&'*+/=?^`{|}~@-])[\w.!#$%&'*+/=?^`{|"
        r"}~-]{1,64}@(?:[^\W_](?:[\w-]{0,62})\.){1,8}[^\W\d_]{2,24}(?![\w-])",
        score=0.95,
        needs=("@",),
    ),
    Pattern(
        "email",
        "CODE",
        r"(?i)(?<![\w.])[\w.+-]{1,64} ?(?:\[at\]|\(at\)| at ) ?[\w-]{1,63}(?: ?(?:\[dot\]|\(dot\)|"
        r" dot |\.) ?[a-z]{2,12}){1,3}(?!\w)",
        score=0.7,
        needs=("[at]", "(at)", " dot "),
    ),
    Pattern(
        "url",
        "CODE",
        r"(?i)(?<![\w@])(?:https?|ftps?|sftp)://[^\s<>\"'’”)\]]{1,2000}(?<![.,;:!?])",
        score=0.9,
        needs=("://",),
    ),
    Pattern(
        "url",
        "CODE",
        r"(?i)(?<![\w@./-])(?:www\.[\w-]{1,63}(?:\.[\w-]{1,63}){1,6}|(?:[a-z0-9][a-z0-9-]{0,62}\.){1,4}"
        r"(?:com|org|net|edu|gov|info|io|eu|co\.uk|de|fr|es|it|nl|pt|ch|"
        r"at)(?=/))(?:/[^\s<>\"'’”)\]]{0,2000})?(?<![.,;:!?])",
        score=0.85,
        needs=(
            "www. WWW. Www. .com/ .org/ .net/ .edu/ .gov/ .io/ .eu/ .uk/ .de/ .fr/ .es/ .it/ .nl/ .pt/ .ch/ .at/ .info/"
        ).split(),
    ),
    Pattern(
        "ip",
        "CODE",
        r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?!\w|\.\d)",
        validate=is_ip_address,
        validated_score=0.8,
        against=("version", "release", "v"),
        scope="at numbers",
    ),
    Pattern(
        "ip",
        "CODE",
        r"(?<![\w:.])(?:[0-9A-Fa-f]{0,4}:){2,7}[0-9A-Fa-f]{0,4}(?:\.\d{1,3}){0,3}(?![\w:])",
        validate=lambda text: len(text) > 4 and is_ip_address(text),
        validated_score=0.85,
        scope="near numbers",
        needs=(":",),
    ),
    Pattern(
        "mac",
        "CODE",
        r"(?<![\w:-])[0-9A-Fa-f]{2}([:-])(?:[0-9A-Fa-f]{2}\1){4}[0-9A-Fa-f]{2}(?![\w:-])",
        score=0.85,
        scope="near numbers",
        needs=(":", "-"),
    ),
    Pattern("username", "CODE", r"(?<![\w.@/])@[A-Za-z_]\w{1,30}(?![\w@]|\.\w)", score=0.7, needs=("@",)),
    Pattern(
        "username",
        "CODE",
        rf"(?i)(?<!\w)(?:{_LOGIN_WORDS})(?: is| es| ist|:|=) ?[\"']?"
        r"(?P<value>[\w.@-]{3,40})(?<![.])",
        score=0.75,
        needs=(
            "user User USER ogin: ogin= ogin is handle Handle nick Nick suario enutzer tilisateur "
            "dentifiant utente tilizador "
            "ebruikersnaam screen"
        ).split(),
    ),
)
