"""Each kind of personal information is found exactly, and not in text that only looks like it."""

from __future__ import annotations

import pytest

from sfumato.detectors.rules.detector import RuleDetector
from sfumato.document import Document, Span

DETECTOR = RuleDetector()


def spans(text: str) -> list[Span]:
    return DETECTOR.detect([Document("d", text)])[0]


def detected(text: str) -> set[tuple[str, str]]:
    return {(span.source.removeprefix("rules:"), text[span.start : span.end]) for span in spans(text)}


# The value to find stands between « and ».
POSITIVE = [
    ("email", "Write to «anna.quorvex+x@mail.example.org», please."),
    ("email", "Mail «jón@dæmi.example» today."),
    ("email", "Mail «anna [at] example [dot] org» today."),
    ("url", "See «https://example.org/u/anna?q=1»."),
    ("url", "See «www.quorvex.example/anna» for more."),
    ("phone", "Ring «+44 20 7946 0958» now."),
    ("phone", "Ring «+1 (212) 555-0147» now."),
    ("phone", "Call me at «212-555-0147» tomorrow"),
    ("phone", "Telefon: «030 901820»"),
    ("phone", "Móvil: «612 345 678»"),
    ("phone", "unter «0971 / 55 28 14» zurück"),
    ("phone", "Tel. «0511 - 33 44 55» abends"),
    ("ip", "from «192.168.10.77» at night"),
    ("ip", "from «2001:db8:85a3::8a2e:370:7334» at night"),
    ("mac", "device «00:1B:44:11:3A:B7» seen"),
    ("username", "thanks «@quorvexanna» for this"),
    ("username", "username: «quorvex77»"),
    ("iban", "IBAN «GB82 WEST 1234 5698 7654 32» please"),
    ("iban", "an «DE89370400440532013000» überwiesen"),
    ("bic", "BIC «DEUTDEFF500»"),
    ("card", "card «4111 1111 1111 1111» expired"),
    ("card", "paid with «378282246310005» today"),
    ("card-security-code", "CVV: «123»"),
    ("bank-account", "account number «12345678» at the bank"),
    ("crypto", "send to «1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa» now"),
    ("crypto", "send to «bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4» now"),
    ("crypto", "send to «0x52908400098527886E0F7030069857D2E4169EE7» now"),
    ("secret", "key «AKIAIOSFODNN7EXAMPLE» leaked"),
    ("secret", "token «ghp_abcdefghijklmnopqrstuvwxyz0123456789» leaked"),
    ("secret", "«eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcDEF123» leaked"),
    ("secret", "api_key = «a8F3kLq09ZxT7bNw2R»"),
    ("secret", "«-----BEGIN RSA PRIVATE KEY-----\nMIIB\n-----END RSA PRIVATE KEY-----»"),
    ("password", "password: «Tr0ub4dor&3»"),
    ("medical-record", "MRN: «00123456»"),
    ("case-number", "an application (no. «42552/98») against"),
    ("case-number", "case no. «1:20-cv-01234» of"),
    ("case-number", "Az. «4 StR 123/21» vom"),
    ("account", "customer id: «C-883421»"),
    ("policy", "insurance ID: «99887-65432»"),
    ("order", "invoice no. «2021-0042»"),
    ("passport", "passport no. «X1234567»"),
    ("licence", "driver's license «D1234567»"),
    ("plate", "Kennzeichen «B-AB 1234»"),
    ("plate", "a car with registration «AB12 CDE»"),
    ("vin", "VIN «1HGCM82633A004352»"),
    ("imei", "IMEI «490154203237518»"),
    ("uuid", "id «123e4567-e89b-12d3-a456-426614174000» ok"),
    ("coordinates", "at «52.5200, 13.4050» exactly"),
    ("coordinates", "at «48°51'24\"N 2°21'03\"E» exactly"),
    ("postcode", "in «SW1A 1AA» now"),
    ("postcode", "Springfield, «IL 62704»"),
    ("address", "lives at «12 Rose Street» with"),
    ("address", "wohnt in der «Lindenstr. 5» mit"),
    ("address", "vive en la «Calle Mayor 5, 2º B» con"),
    ("address", "habite «12 rue de la Paix» avec"),
    ("address", "abita in «Via Roma 3» con"),
    ("address", "woont aan de «Keizersgracht 12» met"),
    ("address", "mora na «Rua das Flores 10» com"),
    ("money", "paid «€1,200.50» for"),
    ("money", "paid «EUR 5,000» for"),
    ("money", "zahlte «1.200,50 Euro» für"),
    ("money", "worth «3 million dollars» today"),
    ("percentage", "about «12.5%» of"),
    ("percentage", "etwa «12,5 Prozent» der"),
    ("measure", "weighs «82 kg» now"),
    ("age", "a «34-year-old» man"),
    ("age", "aged «34»"),
    ("age", "una mujer de «45 años» con"),
    ("age", "ist «45 Jahre alt» und"),
    ("date", "on «2021-03-04» we"),
    ("date", "on «03/04/2021» we"),
    ("date", "am «3.4.21» waren"),
    ("date", "on «4 March 2021» we"),
    ("date", "on «March 4th, 2021» we"),
    ("date", "in «Mar 2021» we"),
    ("date", "el «4 de marzo de 2021» fuimos"),
    ("date", "am «4. März 2021» waren"),
    ("date", "le «1er août 2021» nous"),
    ("date", "il «4 marzo 2021» siamo"),
    ("date", "em «4 de março de 2021» fomos"),
    ("date", "op «4 maart 2021» waren"),
    ("year", "in «1994» she"),
    ("month", "since «June» she"),
    ("date", "at «2021-03-04T09:48:00Z» the"),
    ("date", "from «3 to 7 May 2004» we"),
    ("time", "at «9:48 AM» the"),
    ("time", "à «14h30» le"),
    ("time", "um «14:30 Uhr» war"),
    ("duration", "after «18 years» of"),
    ("duration", "after «three months» of"),
    ("nationality", "a «Turkish» national"),
    ("nationality", "de nacionalidad «española» y"),
    ("occupation", "works as a «bus driver» in"),
    ("organisation", "employed by «Quorvex Ltd» since"),
    ("organisation", "at the «University of Quorvexia» as"),
    ("organisation", "im «Klinikum Musterstadt» behandelt"),
    ("organisation", "at «St. Mary's Hospital» on"),
    ("place", "lives in «Barcelona» now"),
    ("place", "went to «New Zealand» once"),
    ("place", "in «Nice» we met"),
    ("place", "in «İzmir» we met"),
    ("residence", "she lives in «Gdańsk» with a cat"),
    ("residence", "he was born in «Leeds»'s old hospital"),
    ("residence", "sie wohnt in «Rostock» und näht"),
    ("residence", "vive en «Zaragoza» desde niña"),
    ("residence", "elle habite à «Grenoble» avec lui"),
    ("residence", "abita a «Ferrara» da anni"),
    ("residence", "mora em «Coimbra» com a avó"),
    ("residence", "ze woont in «Zwolle» en fietst"),
]


@pytest.mark.parametrize(("kind", "marked"), POSITIVE, ids=lambda value: value[:40])
def test_is_found_exactly(kind: str, marked: str) -> None:
    before, value, after = marked.replace("»", "«").split("«")
    text = before + value + after
    hits = [
        s for s in spans(text) if s.source == f"rules:{kind}" and (s.start, s.end) == (len(before), len(before + value))
    ]
    assert hits, detected(text)


NEGATIVE = [
    ("email", "a @ b and 5@ and foo@bar"),
    ("phone", "version 10.2.3 of 2021"),
    ("phone", "im Zuckertest 98 / 161 / 117 mg/dl"),
    ("phone", "Pos   Artikel\n010   4411-2800   Platte"),
    ("phone", "under 20 CFR 416.1131 and 2106.90 in total"),
    ("phone", "CHF 14'690.35 auf dem Konto"),
    ("phone", "the threshold for 2024/25"),
    ("ip", "section 300.1.2.999 applies"),
    ("residence", "she lives in Harmony with a cat, not in Leeds"),
    ("residence", "the bird lives in nice old trees"),
    ("ip", "at 10:30:15 sharp"),
    ("iban", "code GB82 WEST 1234 5698 7654 33 fails its check"),
    ("card", "number 4111111111111112 fails Luhn"),
    ("crypto", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb fails its checksum"),
    ("national-id", "the number 123456782 stands alone"),
    ("national-id", "population 44051401458 grew"),
    ("bank-account", "a total of 12345678 people"),
    ("secret", "the key = value pairs are documented"),
    ("date", "ratio 45/67/2021 is odd"),
    ("date", "under the Representation of the People Act 1983 it"),
    ("age", "chapter 34 of the book"),
    ("place", "Reading is fun. Nice weather today. Mobile phones work."),
    ("person", "Will you mark the rose with grace and hope in May?"),
    ("person", "Mark my words. Hope is free. Rose petals fell. Rich food."),
    ("organisation", "The court decided. The Court decided again."),
    ("occupation", "The judge rejected the appeal."),
    ("username", "mail a@b.example for it"),
]


@pytest.mark.parametrize(("kind", "text"), NEGATIVE, ids=lambda value: value[:40])
def test_is_left_alone(kind: str, text: str) -> None:
    assert not {value for found_kind, value in detected(text) if found_kind == kind}


def test_direct_and_quasi_identifiers() -> None:
    text = "Anna Quorvex (anna@example.org), a Turkish national, paid EUR 50 on 4 March 2021 in Barcelona."
    identifiers = {text[s.start : s.end]: s.identifier for s in spans(text)}
    assert identifiers["Anna Quorvex"] == identifiers["anna@example.org"] == "direct"
    assert (
        identifiers["Turkish"]
        == identifiers["EUR 50"]
        == identifiers["4 March 2021"]
        == identifiers["Barcelona"]
        == "quasi"
    )
