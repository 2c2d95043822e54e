"""The words by which a model speaks of its poem, and not in it; English."""

import re

_I = re.IGNORECASE
WORK = (
    r"(?:poems?|poetry|verses?|sonnets?|ballads?|haikus?|limericks?|odes?|villanelles?|sestinas?"
    r"|ghazals?|pantoums?|couplets?|quatrains?|tercets?|stanzas?|eleg(?:y|ies)|acrostics?|epigrams?"
    r"|cinquains?|tankas?|rondeaus?|triolets?|lyrics?|pieces?|renditions?|compositions?|drafts?"
    r"|versions?|attempts?|responses?|interpretations?|variations?|adaptations?|creations?"
    r"|clerihews?|aubades?|rondels?|monologues?|terza rima|free verse|blank verse)"
)
# "the poem", "this original Shakespearean sonnet"
_THE_WORK = (
    rf"(?:this|the|my|these|your|each|its|that|a|an|another|above)(?: [\w’'-]+){{0,5}}? {WORK}"
)
_REPLY_VERBS = (
    r"(?:wrote|written|write|craft(?:ed)?|compos(?:e|ed)|creat(?:e|ed)|penn?(?:ed)?|prepared"
    r"|tr(?:y|ied)|attempt(?:ed)?|offer(?:ed)?|provide|share|do my best|put together|came up with"
    r"|generate[d]?|give it a)"
)

INTERJECTION = re.compile(
    r"(?:sure(?: thing)?|certainly|of course|absolutely|definitely|gladly|okay|ok|alright|all right"
    r"|great|wonderful|perfect|excellent|awesome|happy to(?: help)?|with pleasure|my pleasure"
    r"|no problem|understood|got it|yes|hello|hi|hey|very well|thank you|thanks)(?![\w’'])",
    _I,
)
ANNOUNCEMENT = re.compile(
    r"\b(?:here(?:[’']s| is| are| you go| it is| goes| you have| comes)|below,? (?:is|are|you|i)"
    r"|(?:the )?following (?:is|are|poem|verse|sonnet|original)|as follows"
    r"|this is (?:a|an|my|the|one)|presenting|behold"
    rf"|i(?:[’']ve| have|[’']ll| will|[’']d| would| can| could| shall| did| just|[’']m going to)?"
    rf" (?:also |now |gladly |be (?:happy|glad|delighted|pleased|honou?red) to |love to |like to )?"
    rf"{_REPLY_VERBS}|let me {_REPLY_VERBS}|allow me to|let[’']s {_REPLY_VERBS})",
    _I,
)
OF_WORK = re.compile(rf"\b{WORK}\b", _I)
ASKED_FOR = re.compile(
    r"\b(?:style|request(?:ed)?|prompt|you asked|asked for|your|inspired|titled|entitled|user"
    r"|requirements?|instructions?|constraints?|criteria|theme|original|attempt|for you|go|try)\b",
    _I,
)
# Words of the workshop: in talk about verse common, in verse rare.
JARGON = re.compile(
    r"\b(?:rhym(?:e|es|ed|ing)(?: scheme| pattern)?|unrhymed|iambic|trochaic|anapest\w*"
    r"|(?:penta|tetra|tri|di|hexa)meter|enjamb\w+|metaphors?|similes?|alliterat\w+|assonance"
    r"|syllab\w+|imagery|patterns?|quatrains?|couplets?|tercets?|stanzas?|volta|refrains?"
    r"|personif\w+"
    r"|free[- ]flowing|free verse|blank verse|literary devices?|poetic devices?|symboli\w+|motifs?"
    r"|structure[sd]?|meter|metre|speaker|themes?|tone|diction|in the style|style of|inspired by"
    r"|traditional|conventions?|evok\w+|evocative|contemplative|AABB|ABAB|ABBA|ABCB)\b",
    _I,
)
TO_READER = re.compile(
    r"\b(?:let me know|feel free|if you(?:[’']d| would| want| need| have| like| prefer|[’']re)"
    r"|(?:would|do|could|can|did|are) you (?:like|want|prefer|have|enjoy|looking)"
    r"|please (?:let|feel)"
    r"|hope (?:that )?(?:you|this|it|these|my|the|i)|happy to (?:help|revise|adjust|write|make)"
    r"|adjust(?:ments?)?|revisions?|modif(?:y|ications?)|feedback|tweak\w*|expectations"
    r"|further (?:changes|requests|assistance|adjustments)|your (?:request|needs|liking"
    r"|preferences?))"
    r"\b",
    _I,
)
HOPES = re.compile(
    r"(?:i|we) (?:really |truly |sincerely |do )?hope (?:that )?(?:you|this|it|these|my|the|i)\b.*"
    r"\b(?:enjoy\w*|lik(?:e|ed|ing)|helps?|meets?|captur\w+|satisf\w+|resonat\w+|suits?|fits?"
    r"|what you|expectations?|request|does justice|convey\w*|inspir\w+|embod\w+|reflects?)\b",
    _I,
)
# What is hoped of a poem, and seldom in one.
HOPED = re.compile(
    rf"\b{WORK}\b|\b(?:enjoy\w*|lik(?:e|ed)|meets?|captur\w+|helps?|satisf\w+|suits?|fits?"
    rf"|reflects?)"
    r" (?:it|this|these|your|what you|(?:reading|the) (?:essence|spirit|tone|style|mood"
    r"|feeling))\b",
    _I,
)
ASKED = re.compile(
    r"\b(?:requests?|requested|prompts?|challenges?|task|assignment|in the style of)\b", _I
)
PRAISE = re.compile(
    r"(?:what (?:a|an)|such (?:a|an)|that[’']?s (?:a|an)|i love (?:this|that)|great|lovely"
    r"|beautiful)\b"
    r"[^.!?]{0,60}\b(?:prompt|request|challenge|idea|topic|assignment)\b[^.!?]{0,40}[.!]",
    _I,
)
STAGE = re.compile(
    r"[*_(\[](?:ahem|clears?|adjusts?|takes?|smiles?|(?:a )?deep breath|strums?|bows?|sighs?|puts?"
    r"|drops?|winks?|steps?|curtsies|pauses?)\b[\w ,.’'-]{0,60}[*_)\]][.!]?",
    _I,
)
ADDRESSES = re.compile(
    r"(?:please )?(?:let me know|feel free to|do let me know)\b|enjoy(?: reading)?[!.]"
    r"|is there anything"
    r"|if you(?:[’']d| would| want| need| have| like| prefer)\b.{0,120}?"
    r"\b(?:let me know|just ask|i can|i[’']d|happy|glad|feel free|please)\b"
    r"|would you like me to\b|to help me\b.{0,80}?\byou\b"
    rf"|(?:would|do|could|can|did|are|what|which|how)\b.{{0,60}}?\byou\b.{{0,120}}?"
    rf"\b(?:like|prefer|want|think|enjoy|have in mind|looking for)\b.{{0,160}}?\?"
    rf"|(?:i[’']d|i would|i[’']ll|i can|i[’']m) (?:be )?(?:happy|glad|delighted|also|always)\b"
    rf"|(?:please )?note that\b.{{0,80}}?\b{WORK}\b|thank(?:s| you) for (?:the|your|asking"
    rf"|this|reading)",
    _I,
)
NOTE = re.compile(
    r"(?:an? |the |some |brief |quick |poet[’']s |author[’']s |writer[’']s |side |final "
    r"|additional "
    r"|short |key |translator[’']s |why |how |line[- ]by[- ]line |poem |poetic |full )*"
    r"(?:notes?|n\.?b\.?|p\.?s\.?|disclaimer|explanations?|analysis|commentary|interpretation"
    r"|breakdown|context|background|rhym(?:e|ing) (?:scheme|pattern)|rhymes?|meter|metre|rhythm"
    r"|syllables?(?: counts?| pattern)?|scansion|forms?|structure|themes?|tone|style|imagery"
    r"|(?:literary |poetic |sound )?devices?|(?:elements?|features?|techniques?|choices?)"
    r"|(?:word|line|stanza|character)s? ?counts?|total (?:lines|words)|inspiration|meaning|summary"
    r"|glossary|vocabulary|reflections?|self[- ]?(?:check|assessment|evaluation)|checklist|sources?"
    r"|about (?:this|the|my) \w+|this (?:poem|sonnet|piece) works|the poem works|works"
    r"|message|symbolism|language|mood"
    r"|word choice|explanation of .{1,60}|notes? on .{1,60}|analysis of .{1,60}|verification)",
    _I,
)
TRANSLATION = re.compile(
    r"(?:(?:here(?:[’']s| is) )?(?:an?|the|my|literal|rough|english|chinese|french|german|spanish"
    r"|italian|japanese|latin|modern|prose|direct|poetic) )*"
    r"(?:translations?|rendering|pinyin|romanization|romaji|transliteration)"
    r"(?: (?:in(?:to)?|of|to) .{1,40}| \(.{1,40}\))?",
    _I,
)
ABOUT = re.compile(
    rf"\b{_THE_WORK}\b[^.!?]{{0,120}}?\b(?:follow\w*|use[sd]?|using|is|are|was|has|have|had"
    rf"|captur\w+"
    r"|explor\w+|reflect\w*|aim\w*|attempt\w*|tries|try|celebrat\w+|employ\w*|consist\w*|contain\w*"
    r"|adher\w+|speaks?|convey\w*|evok\w+|describ\w+|depict\w*|tells?|featur\w+|incorporat\w+"
    r"|draws?|seeks?|avoid\w*|maintain\w*|combin\w+|blend\w*|represent\w*|emphasi\w+|highlight\w*"
    r"|illustrat\w+|delv\w+|express\w*|embod\w+|paint\w*|begins?|ends?|does|above|imitat\w+"
    r"|mimic\w*"
    r"|pays|should|can|remains?|serves?|invites?|weaves?|portray\w*|showcas\w+|touch\w*|focus\w*"
    r"|written|adopts?|echo\w*|meets?|contrasts?|examin\w+|meditat\w+|considers?)\b",
    _I,
)
ABOUT_FIRST = re.compile(
    r"(?:in (?:this|the|my|these)|this|the|these|my|each|overall|throughout|through|while"
    r"|both|as you"
    r"|i (?:chose|used|have (?:tried|used|attempted|aimed|included|kept)|tried|aimed|attempted"
    r"|wanted|kept|made|[’']ve)|i[’']ve|note how|notice|by)\b",
    _I,
)
ITSELF = re.compile(
    r"(?:this|it|that) (?:one )?(?:follow|use|captur|explor|reflect|aim|attempt|employ|convey"
    r"|evok|tri"
    r"|incorporat|maintain|meet|adher|express|blend|combin|celebrat|should|embod|stay|keep)\w*\b",
    _I,
)
REFUSAL = re.compile(
    r"\bi(?:[’']m| am) (?:very |so |really |truly )?(?:sorry|unable|not able|afraid|not comfortable"
    r"|just an? |an? (?:ai|language|large))|\bi (?:can(?:no|[’'])t|can not|won[’']t|will not"
    r"|do(?: not|n[’']t) feel|must (?:respectfully )?decline|need to decline|have to decline"
    r"|apologi[sz]e|decline|do(?: not|n[’']t) have)|\bas an? (?:ai|artificial|large|language)\b"
    r"|\bunfortunately,|^sorry[,.]|\bmy apologies",
    _I,
)
DECLINED = re.compile(
    r"\b(?:writ(?:e|ing)|creat(?:e|ing)|generat(?:e|ing)|provid(?:e|ing)|produc(?:e|ing)"
    r"|reproduc\w+"
    r"|fulfil\w*|imitat(?:e|ing)|help|assist|comply|compos(?:e|ing)|continu(?:e|ing)|do that"
    r"|do this|this request"
    rf"|your request|that request|engage|content|{WORK}|personal (?:feelings|experiences))\b",
    _I,
)
# The whole of a reply: it says that it cannot, and not even what.
CANNOT = re.compile(
    r"(?:(?:i(?:[’']m| am) (?:very |so |really |truly )?sorry|sorry|apologies)\b[^\n]{0,30}\b)?"
    r"i (?:can(?:no|[’'])t|can not|won[’']t|will not|must decline|decline)\W*",
    _I,
)
ANOTHER = re.compile(
    rf"(?:or,? |and )?(?:here(?:[’']s| is| are) )?(?:another|an? alternat(?:iv)?e|an? second"
    rf"|a different"
    rf"|an? (?:short|long|simpl)er|alternat(?:iv)?ely"
    rf"|alternat(?:iv)?e)\b(?:[^.!?\n]{{0,60}}\b(?:{WORK}"
    r"|option|one|take)\b[^.!?\n]{0,80})?[:.!,]?",
    _I,
)
NUMBERED_WORK = re.compile(
    r"(?:poem|haiku|limerick|version|option|draft|variation|alternative|attempt|example|tanka|take"
    r"|response|revised version|revision|variant)s?"
    r"\s*(?:#|no\.? ?)?(?P<number>\d{1,2}|[ivx]{1,4}|[a-e]|one|two|three|four|five)\b"
    r"(?=\s*(?:$|[:.(（)–—*_\]-]))",
    _I,
)
COUNTED_WORKS = re.compile(
    r"\b(?:two|three|four|five|six|seven|ten|several|a few|some|a couple of|both|\d{1,2})"
    r"(?: [\w’'-]+){0,4}? (?:poems|haikus?|limericks|versions|options|sonnets|couplets|verses"
    r"|variations|drafts|tankas|attempts|alternatives|examples)\b",
    _I,
)
FINAL = re.compile(
    rf"\b(?:final|finished|finalized|complete[d]?|revised|polished|full|corrected)\b[^.!?]{{0,40}}"
    rf"\b(?:{WORK}|answer|output|result|text|one)\b",
    _I,
)
PART = (
    r"(?:stanza|verse|chorus|refrain|bridge|pre-?chorus|hook|intro|outro|quatrain|couplet|tercet"
    r"|octave|sestet|sestina|volta|envoi|strophe|antistrophe|epode|line|turn|haiku|closing couplet)"
)
ORDINAL = (
    r"(?:\d{1,2}|[ivx]{1,5}|one|two|three|four|five|six|seven|eight|nine|ten|first|second|third"
    r"|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last|final|closing|opening|concluding"
    r"|repeat(?:ed)?)"
)
LABEL = re.compile(
    rf"(?:(?:the )?{ORDINAL} )?{PART}s?(?: ?[#-]?{ORDINAL})?(?: ?\([^)]{{1,30}}\)"
    rf"| ?[-–—] ?.{{1,20}})?",
    _I,
)
KIND = re.compile(
    rf"(?:the |my |your |an? |untitled |original |short |full |final |complete |revised "
    rf"|rhyming |here )*"
    rf"(?:{WORK}|untitled|text|output|answer|result|title|body|content)",
    _I,
)
END = re.compile(
    r"(?:[-–—~]+ ?)?(?:the end|fin|finis|end(?: of (?:the )?\w+)?)(?: ?[-–—~]+)?[.!]?", _I
)
COUNT = re.compile(
    r"(?:total |word |line |syllable |approx\w*\.? |about "
    r"|stanza )*(?:counts?\s*[:=]?\s*)?~?\d{1,4}"
    r"(?: (?:words?|lines?|stanzas?|syllables?|total|in total|each|per line))*"
    r"(?:[,;/] ?\d{1,4} (?:words?|lines?|stanzas?|syllables?))*[.!]?",
    _I,
)
ECHO = re.compile(
    rf"(?:please |can you |could you )?(?:write|compose|create|generate|give me"
    rf"|produce)\b.{{0,200}}?\b{WORK}\b",
    _I,
)
BYLINE = re.compile(
    rf"(?:an? (?:[\w’'-]+ ){{0,3}}{WORK} )?(?:written |composed |generated |created |penned )?"
    r"(?:by|author:|poet:)[:\s]+(?P<who>\S.{0,60})",
    _I,
)
MODEL = re.compile(
    r"\b(?:claude|chat ?gpt|gpt(?:-?\d\S*)?|gemini|bard|llama|mistral|qwen|deepseek|olmo|grok|kimi"
    r"|copilot|assistant|(?:an? )?ai(?: poet| model| assistant)?|language model|your name|anonymous"
    r"|openai|anthropic)\b",
    _I,
)
AS_MODEL = re.compile(
    r"\b(?:(?:as )?an? (?:simple )?(?:ai|artificial intelligence|language model|large language)"
    r"(?: \w+)?|my (?:training|programming|creators)|your (?:ai|digital|virtual) assistant"
    r"|my circuits|digital bard)\b",
    _I,
)
ORDERS = re.compile(
    r"\b(?:ignore|disregard|forget) (?:all |any )?(?:the |your )?(?:above|previous|prior|earlier)\b"
    r"|\b(?:rate|score|grade|give) (?:this|it|me)\b.{0,40}\b(?:[45]|five|10|ten|full|highest|top)\b"
    r"|\bsystem prompt\b|\byou must (?:rate|answer|reply|respond)\b",
    _I,
)
TURN = re.compile(
    r"\s*(?:#{1,6}\s*|\*\*)?(?P<who>human|user|assistant|system|ai|model|bot|instruction|response"
    r"|question|input|prompt|q|a)(?:\*\*)?\s*[:：](?:\*\*)?(?P<said>.*)",
    _I,
)
NEXT_TASK = re.compile(
    r"\s*(?:#{1,6} *\**|\*\*)(?:instruction|response|input|question|answer|exercise|follow[- ]?up"
    r"|solution|task|problem|user|human|assistant|system|prompt)s?\b.{0,80}",
    _I,
)
CALLED = re.compile(
    r"\b(?:titled|entitled|called"
    r"|title is)[:,]?\s+[*_]{0,3}[“\"‘'*_《](?P<title>[^”\"*_》\n]{1,100})"
    r"[”\"’'*_》]",
    _I,
)
SUBTITLE = re.compile(
    rf"\b(?:{WORK}|excerpts?|style|inspired|homage|manner of|in imitation|^after [A-Z]\w+)\b", _I
)
