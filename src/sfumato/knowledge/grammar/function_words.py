"""Small words that carry grammar rather than meaning, in the seven languages.

Written for this project.
"""

from __future__ import annotations

DETERMINERS = frozenset(
    "a an the this that these those my your his her its our their whose each every either neither some any no all both "
    "another such what which".split()
)
PRONOUNS = frozenset(
    "i you he she it we they me him us them himself herself itself themselves myself yourself ourselves who whom "
    "mine yours hers ours theirs one anyone someone everyone nobody something nothing anything everything".split()
)
PREPOSITIONS = frozenset(
    "of in on at by for from to into onto over under with within without about above across after against along amid "
    "among around as before behind below beneath beside besides between beyond concerning despite down during except "
    "inside like near off out outside per regarding since through throughout till toward towards until up upon via "
    "versus pending following including according due".split()
)
CONJUNCTIONS = frozenset(
    "and or but nor so yet if because although though while whereas when whenever where wherever unless whether than "
    "that once therefore however moreover furthermore nevertheless thus hence also then there here how why".split()
)
AUXILIARIES = frozenset(
    "am is are was were be been being do does did done doing have has had having can could may might must shall should "
    "will would ought cannot 's n't 've 're 'll 'd 'm".split()
)
ADVERBS = frozenset(
    "not never ever only just very too more most less least much many few several again further already still even "
    "almost always often same other others own else rather quite".split()
)
ENGLISH = DETERMINERS | PRONOUNS | PREPOSITIONS | CONJUNCTIONS | AUXILIARIES | ADVERBS
_OTHERS = {
    "es": "el la los las un una unos unas lo al del de a en y e o u que no se su sus le les por para con sin "
    "sobre entre como más pero si ya muy este esta estos estas ese esa eso aquel aquella hay es son era "
    "fue ser ha han había he yo tú él ella ellos ellas nos me te mi tu cuando donde quien cual cuyo "
    "también hasta desde ante tras ni",
    "de": "der die das den dem des ein eine einen einem einer eines und oder aber nicht kein keine in im an am "
    "auf aus bei beim mit nach von vom zu zum zur für über unter vor durch gegen ohne um als wie wenn "
    "dass weil ob ist sind war waren sein hat haben hatte hatten wird werden wurde wurden ich du er sie "
    "es wir ihr ihm ihn ihnen uns mir mich sich mein dein seine seiner ihre ihrer dieser diese dieses "
    "jener auch noch nur schon so da dann hier dort sehr mehr",
    "fr": "le la les l un une des du de d à au aux en dans sur sous par pour avec sans entre et ou mais ni que "
    "qui quoi dont où ne pas plus se s il elle ils elles on nous vous je tu me te lui leur leurs son sa "
    "ses mon ma mes ton ta tes notre votre ce cet cette ces c est sont était étaient été être a ont avait "
    "avaient avoir y si comme aussi très",
    "it": "il lo la i gli le l un uno una di del dello della dei degli delle a al allo alla ai agli alle da dal "
    "dalla in nel nella nei nelle con su sul sulla per tra fra e ed o ma che chi cui non si è sono era "
    "erano essere stato ha hanno aveva avere io tu lui lei noi voi loro mi ti ci vi suo sua suoi sue mio "
    "mia questo questa questi queste quello quella come più anche se quando dove molto",
    "pt": "o a os as um uma uns umas de do da dos das em no na nos nas a ao à aos às por pelo pela para com sem "
    "sobre entre e ou mas que quem não se é são era foi ser está tem têm tinha há eu tu ele ela eles elas "
    "nós me te lhe seu sua seus suas meu minha este esta esse essa isso aquele aquela como mais também já "
    "muito quando onde até",
    "nl": "de het een en of maar niet geen in op aan uit bij met naar van voor over onder door tegen zonder om "
    "te als dat die dit deze dan is zijn was waren heeft hebben had hadden wordt worden werd werden ik "
    "jij je hij zij ze wij we jullie hem haar hun ons mij me zich mijn jouw uw er hier daar ook nog al zo "
    "zeer meer wie wat waar wanneer",
}
STOP_WORDS = {"en": ENGLISH, **{language: frozenset(words.split()) for language, words in _OTHERS.items()}}
"""By language code."""
