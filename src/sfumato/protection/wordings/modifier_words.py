"""Modifiers that say more than they seem, and nouns that say nothing without one. English."""

from __future__ import annotations

KEPT_ADJECTIVES = frozenset(
    "exact precise actual prosthetic incorrect inaccurate wrong untrue misleading universal "
    "able abortive absent acting additional afraid ago alike alive almost alone ample another apparent applicable "
    "appropriate assistant available average aware back bogus bottom capable central certain common comparable "
    "complete contested corresponding counterfeit countless current deputy designate different disputed double "
    "doubtful dual dubious due dummy earlier early east eastern eight elder eldest elect empty enough entire equal "
    "equivalent ersatz extra few fewer fictional fictitious fifth final first five following fond foreseeable forged "
    "former four fourth free front full further general greater groundless half honorary honorific hypothetical "
    "identical ill illusory imaginary inadequate incomplete informal initial inner innumerable insufficient intended "
    "interim invalid joint junior lacking last late later latest latter least left legendary less lesser likely "
    "little long-term lower main many martial maximum mere mid middle minimum missing more most much multiple mutual "
    "mythical mythological near nearly necessary next nine no nominal non nonexistent normal north northern null "
    "numerous one only opposite ostensible other outer overall own particular past planned poor preceding present "
    "previous prior probable proposed prospective provisional quarter questionable rear recent relevant respective "
    "responsible retired reverse right same second seeming senior separate seven several sham similar simulated "
    "single six so-called sole south southern specific subject subsequent such sufficient synthetic ten theoretical "
    "third three titular top total triple two typical unable unconfirmed unfinished unfounded unlikely unofficial "
    "unproven unrealised unrealized unsuccessful upper usual vain various vice void west western whole worth would-be "
    "zero".split()
)
KEPT_ADVERBS = frozenset(
    "accordingly allegedly apparently approximately arguably badly barely chiefly closely collectively commonly "
    "comparatively conceivably conditionally currently daily differently early effectively equally erroneously "
    "essentially eventually exactly exclusively fairly falsely family fictionally finally formally formerly "
    "frequently generally halfway hardly hypothetically imperfectly inadequately incompletely incorrectly "
    "individually initially insufficiently jointly largely lately later likely loosely mainly merely mistakenly "
    "moderately monthly mostly mutually namely narrowly nearly newly nominally nonetheless normally occasionally only "
    "originally ostensibly partially partly poorly possibly potentially practically precisely predominantly presently "
    "presumably previously primarily principally probably provisionally purely purportedly rarely really recently "
    "relatively remotely reportedly respectively roughly scarcely seemingly seldom separately similarly simply solely "
    "substantially sufficiently supposedly technically temporarily tentatively theoretically typically unanimously "
    "unequally unlikely usually virtually weakly weekly wrongly yearly".split()
)
"""Whoever was *nearly* killed was not; what is *usually* so is not always, what came *finally* came after something."""
KEPT_PARTICIPLES = frozenset(
    "abandoned alleged annulled anticipated assumed attempted based called canceled cancelled claimed combined "
    "continued cut disguised disputed divided done envisaged estimated expected extended failed faked feared "
    "forbidden forged given imagined imitated impersonated increased intended known left limited lost made mixed "
    "named perceived planned presumed pretended prohibited projected promised proposed quashed recommended reduced "
    "related repeated retired revoked said simulated supposed suspected taken threatened unfinished unnamed used "
    "withdrawn".split()
)
KEPT_NOUNS = frozenset(
    "equity "
    "age applicant application apprentice assistant back bottom candidate case chocolate copy court date day deputy "
    "draft dream dummy end fantasy fellow foster guest half head horror imitation level majority minority mock model "
    "month night nominee number paper part proxy quarter replacement replica rubber shadow sham share side snow state "
    "stone student substitute surrogate test time top toy trainee trial vice water wax week year".split()
)
"""A draft law is no law yet, a stone lion no animal."""
NEED_A_MODIFIER = frozenset(
    "bone bones leg legs arm arms knee knees nose finger fingers ankle ankles wrist rib ribs skull shoulder jaw hip "
    "elbow foot feet tooth teeth muscle ligament tendon "
    "age ages amount amounts aspect aspects background basis blood capacity character color colour condition "
    "conditions cost course day days deal degree distance effect effects extent eyes faith fashion form forms ground "
    "grounds hair hand hands height interest interests kind kinds length level levels light manner matter matters "
    "means month months nature number numbers one ones order pace part parts person persons point points position "
    "positions pressure price purpose purposes quality range rate rates reason reasons role scale scope sense senses "
    "shape side sides situation size sizes skin sort sorts speed standard standards status style temperature term "
    "terms thing things time times tone type types view views way ways week weeks weight word words year years".split()
)
"""*Of a nature*, *in a manner*, *at an age* are no phrases, and nobody is hurt by *a bone*."""
