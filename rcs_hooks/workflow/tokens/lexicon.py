"""The closed classes of words that the grammar of tokens tells apart, in all languages that it reads.

Rules of this file:
- Words are in lower case, with the plain apostrophe. Open classes of verbs are not listed: a clause that nothing else
  explains is an imperative.
- One set holds all languages. A word with another meaning in another language goes where it starts less.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _phrases(text: str) -> tuple[str, ...]:
    """Return the phrases, longest first, each with a blank at its end, for `match_phrase`."""
    phrases = (f"{phrase.strip()} " for phrase in text.replace("\n", ";").split(";"))
    return tuple(sorted((phrase for phrase in phrases if phrase != " "), key=len, reverse=True))


FILLERS = _words(
    "and but so ok okay okey well also then hi hello hey yes yeah yep yup sure great thanks thx alright right now"
    " first"
    " firstly second next finally lastly again actually just maybe perhaps today tonight tomorrow btw fyi asap urgent"
    " anyway still oh ah hmm please pls plz kindly guys claude codex cool good fine perfect nice lgtm one two"
    " three later"
    " afterwards afterward else otherwise therefore hence instead meanwhile basically honestly sorry todo task"
    " und aber also dann jetzt nun bitte hallo ja gut danke zuerst danach erst mal schnell noch doch einfach nochmal"
    " et mais puis alors maintenant bonjour salut oui merci ensuite d'abord enfin stp svp"
    " y pero entonces luego ahora hola sí si gracias primero después favor por vale"
    " и а но потом затем теперь сейчас привет да спасибо сначала пожалуйста ну так e agora depois obrigado"
)
"""May precede a clause without being a part of it."""

REQUESTS = _phrases("""
do you want to; gimme; what about doing; what about using; what about running
this is a job for; this calls for; this wants
can you; could you; would you; will you; would you mind; can u; could u; shall we; u can; you can; you may; you could
you should; you must; you have to; you need to; you might want to; you'd better; you will; you'll
i want; i want you; i want you to; i want to; i want us to; i need; i need you to; i need to; i'd like
i'd like you to; i'd like to; i would like
i would like you to; i would like to; i would love to; i'd love to; i'd rather; i'd prefer; i prefer; i wanna
id like; id like to; id like you to
i think we should; i think you should; i think we need; i guess we should; i suggest; i suggest we; i'd suggest
i propose; i vote for; i say we
i'll have you; i'm going to have you; i am going to have you
i'm asking you to; i am asking you to; i ask you to; i expect you to; i choose; i pick; i'll take; i'll go with
i'd go with; i would go with
we want; we want to; we need; we need to; we should; we must; we have to; we'd like to; we ought to; this needs
this needs to; it needs to
let's; lets; let us; let me; go ahead and; feel free to; make sure to; make sure you; make sure that you; be sure to
remember to; try to; want you to
don't forget to; dont forget to; do not forget to; never forget to; don't hesitate to; do not hesitate to
don't fail to; never fail to
i can't wait to; can't wait to; cannot wait to; it's time to; it is time to; its time to; time to; it's time for
it is time for; time for
help me; help me to; how about; why not; why don't we; why don't you; why dont we; why dont you; not only; not just
ready to; need you to; get ready to
may i ask you to; kindly; do me a favor and; do me a favour and; mind; i'd appreciate it if you
it'd be great if you could; it would be great if you could
kannst du; könntest du; würdest du; kannst du mir; können sie; könnten sie; würden sie; ich möchte; ich will
ich hätte gern; ich brauche; wir brauchen
wir sollten; wir müssen; du sollst; du kannst; lass uns; lass; lasst uns; vergiss nicht; ich möchte dass du
ich will dass du; warum nicht
peux-tu; peux tu; tu peux; pourrais-tu; tu pourrais; pouvez-vous; pourriez-vous; vous pouvez; est-ce que tu peux
est-ce que tu pourrais; je veux; je voudrais
j'aimerais; il faut; on va; n'oublie pas de; n'hésite pas à; s'il te plaît; s'il te plait; s'il vous plaît
s'il vous plait; j'ai besoin de; pourquoi pas; je veux que tu
puedes; podrías; podrias; puede; podría; me puedes; quiero; quiero que; quisiera; me gustaría; necesito; hay que
vamos a; no olvides; te pido que; por qué no
можешь; можете; мог бы; могли бы; не мог бы; ты можешь; ты не мог бы; хочу; я хочу; я хочу чтобы ты; мне нужен
мне нужно; нужно; надо; давай; давайте; не забудь; почему бы не; прошу
on part sur; on va sur; partons sur; pars sur; tira de; tiremos de; echa mano de
você pode; voce pode; pode; quero; preciso; puoi; potresti; vorrei; voglio
""")
"""Begin a clause that asks for work."""

SHARED = _phrases("""
can we; could we; is it possible to; would it be possible to; können wir; könnten wir; on peut; peut-on; podemos
можно; мы можем; we'll; we will
""")
"""Begin a sentence that asks for work if it points at some: `can we use $forge for this?`."""

QUESTIONS = _words(
    "what what's whats why why's how how's who who's whose whom which whether is isn't are aren't am was wasn't"
    " were weren't does"
    " doesn't did didn't has hasn't had should shouldn't would will shall can could may might must wonder"
    " wondering wtf"
    " was wer wie wieso weshalb warum welche welcher welches wozu wofür woher ist sind hat kann könnte soll"
    " sollte sollten muss darf gibt"
    " que qu'est-ce quoi pourquoi comment quand quel quelle quels quelles qui combien est-ce est-il est-elle où à"
    " qué cómo cuándo cuál cuáles quién dónde cuánto es está son hay existe"
    " что чего зачем почему как когда какой какая какие какое кто где чем сколько ли разве можно нужен нужна"
    " o que como quando qual quem onde cosa come perché quale"
    " debo debemos debería deberíamos conviene стоит следует"
)
"""Begin a clause that asks."""
ASKS_BEFORE_SUBJECT = _words("do don't have haven't had when where")
"""Ask when a subject or an auxiliary follows: `do you know`; but `do the tests` is an imperative."""
EMBEDDED = _words(
    "what what's why how how's whether which who whose где что как почему какой warum wie wieso pourquoi comment"
    " cómo qué"
)
"""Precede a token after a verb of saying or knowing: `tell me how $forge`."""

SUBJECTS = _words(
    "i i'm i've i'd i'll im ive we we're we've we'll you you're you've you'll he he's she she's they they're"
    " they've it it's its"
    " there there's someone somebody everyone everybody nobody people users who that's this's here's here that"
    " jemand alguien"
    " ich wir er sie es man du ihr je j'ai j'avais nous il elle on ils c'est ça tu vous yo él ella ellos nosotros"
    " я мы он она они ты вы это eu ele ela nós"
)
FIRST_PERSON = _words(
    "i i'm i've i'll im ive we we've we're we'll he she they ich wir er je j'ai j'avais nous on yo я мы он она"
    " они people users"
)
CONJUNCTIONS = _words(
    "but then so however therefore sondern aber dann mais puis alors pero luego entonces но потом затем"
)
"""A clause begins after them."""
RUSSIAN_YOU = _words("ты вы можешь можете мог могли")
THAT = _words("dass daß что чтобы")
"""A comma before one ends no clause: `ich möchte, dass du`."""
AND = _words("and und et y и")
VERSUS = _words("vs versus")
JOINS = AND | VERSUS | _words("e plus or oder ou o или nor")
"""Join tokens: `$team and $forge`."""
SIGNS_OF_JOINING = frozenset({"+", "&", "和", "と"})
LINKS = JOINS | SIGNS_OF_JOINING | CONJUNCTIONS
"""Connect the names of skills, and mean nothing without them: `$ultrawork and then $forge`."""
DETERMINERS = _words(
    "the a an my your our their his her its any each every some another"
    " der die das den dem des ein eine einen einem einer mein meine meinen dein deine le la les l' un une mon ma"
    " mes ton ta"
    " el los las una mi mis tu su sus мой моя моё мои твой наш наша o os as um uma il lo gli"
)
DEMONSTRATIVES = _words(
    "this that these those all both most many several no none diese dieser dieses alle ce cette ces este esta"
    " estos этот эта эти все"
)
QUANTITIES = DEMONSTRATIVES | _words(
    "half some plenty lots much nothing everything something anything two three four five ten"
)
ARTICLES = _words("the a an der die das ein eine le la les un une el los las una o um uma")

KINDS = _words(
    "either both skill skills mode modes workflow workflows command commands token tokens tool tools loop full"
    " whole complete proper quick"
    " following trusty good old new same fancy little usual skill: befehl modus compétence commande mode modo comando"
    " habilidad навык режим команда команду"
)
"""May come between a directive and the token: `use the skill $forge`."""
THINGS = _words(
    "variable variables var vars constant constants placeholder placeholders parameter parameters param params"
    " argument arguments"
    " arg args property properties field column columns env array object string substring literal symbol"
    " identifier identifiers"
    " variablen constante propriété propiedad переменная переменной переменную"
)
NOUNS = _words(
    "skill skills mode workflow command token tool run runs loop loops plan plans output outputs state session"
    " sessions hook hooks"
    " docs documentation docstring chapter section page feature file files folder code implementation source"
    " logic behaviour"
    " behavior syntax name keyword option prompt log logs history question questions result results phase phases"
    " thing stuff"
    " integration support users people idea concept spec design bug bugs issue issues error errors problem"
    " problems test tests"
)
"""A token can be the attribute of these: `the $forge run is stuck`."""
MODES = _words("mode style loop run workflow skill fashion mode, modus modo режиме режим")

PREDICATES = _words(
    "is isn't are aren't was wasn't were weren't be been does doesn't did didn't has hasn't had hadn't will won't"
    " would wouldn't should"
    " shouldn't must mustn't can can't cannot could couldn't may might shall ain't"
    " means meant keeps kept holds held fails works worked needs makes made runs ran starts stops takes took"
    " gives gave looks seems"
    " gets got goes went says said asks produces creates uses wants hangs hung crashes breaks broke writes wrote"
    " deletes ends shows"
    " sounds sets returns expects requires blocks ignores misses overwrites lets helps tells behaves throws threw"
    " complains reads"
    " appears comes came stands refers lives belongs exists handles supports loops spawns never always sometimes"
    " only often usually"
    " actually apparently still already itself became becomes feels felt forgot forgets lost loses found finds"
    " replaces replaced"
    " depends thinks thought left versus vs vs. instead-of triggers triggered activates allows prevents"
    " causes caused"
    " eats ate wastes burns plante bugue rame échoue"
    " ist sind war wird wurde hat hatte kann soll sollte muss bedeutet heißt macht funktioniert läuft startet"
    " stoppt hängt nicht geht"
    " est sont était avait peut doit signifie marche fonctionne veut reste ne n'est n'a"
    " son era fue está estaba hace hizo tiene tenía puede debe significa funciona sirve falla falló"
    " значит был была было делает сделал работает может должен не сломался упал завис означает запускается"
    " остановился è fa foi faz"
)
"""After a token they make it a subject."""
FORBIDDEN = _words(
    "forbidden prohibited banned disallowed disabled off-limits verboten interdit prohibido запрещено запрещён"
    " tabu taboo unwanted unneeded"
    " deprecated obsolete unavailable"
)
TAIL = _words(
    "please pls plz now thanks thx ty today tonight then ok okay asap again immediately quickly too first instead"
    " right away cheers for"
    " bitte danke jetzt merci maintenant stp svp favor ahora gracias пожалуйста сейчас спасибо one more time if"
    " possible everyone"
)
"""May come between a token and the end of a sentence that it closes."""
POLITE = _words("please pls plz kindly bitte stp svp favor пожалуйста plaît plait thanks")
OBJECTS = _words(
    "it this that these those them everything all us me the my our your its his a an both each every"
    " es das den die diese dieses alles ihn le la les ça cela ce cette tout el los las lo esto este esta todo это"
    " эту этот всё его"
)
"""Behind a token they make it a verb: `$forge it`."""
FRENCH_OBJECTS = _words("le la les ça cela ce cette tout")
"""After a word in -s they make it an imperative, not an English verb: `$forge mets le bouton`."""
WORK = _words(
    "fix ship add make do write build rebuild implement refactor update create finish complete check test review"
    " clean cleanup"
    " resolve solve handle deploy improve optimize optimise debug investigate find sort repair merge rewrite redo"
    " remove run go get"
    " start continue migrate upgrade port convert design plan draft research verify harden tidy simplify split"
    " extract rename move"
    " replace delete address tackle close land push release prepare set work look figure try bump patch"
    " beheben behebe löse repariere résous répare resuelve soluciona реши fixen reparieren bauen schreiben corrige"
    " corriger répare fais arregla arreglar haz исправь почини"
    " сделай"
)

DIRECTIVES = _words(
    "use using run running start starting launch launching invoke invoking activate activating trigger triggering"
    " do try trying go apply"
    " applying call employ engage enable begin resume continue execute executing initiate kick have let get pick"
    " choose"
    " delegate draft ask want need deploying summon rerun restart retry redo switch default"
    " nutze nutz benutze benutz verwende verwend nimm starte start führe lass mach mache nutzen verwenden"
    " benutzen probier probiere versuch"
    " utilise utilisez utiliser lance lancez lancer démarre exécute fais faites essaie essaye active emploie prends"
    " usa use usar utiliza utilice utilizar lanza ejecuta ejecutar inicia arranca haz prueba activa corre"
    " возьми возьмите возьмём задействуй"
    " используй используйте использовать запусти запустите запустить примени применить сделай попробуй начни"
    " включи вызови запускай"
    " usa execute rode inicie faça avvia esegui prova"
)
"""The verbs of which a token is the instrument."""
IMPERATIVES = _words(
    "use run start try launch invoke activate trigger call apply go want nutze verwende starte utilise lance usa"
    " ejecuta используй запусти"
)
"""Those of them that begin a clause without any mark: `if it does not work use $team`."""
WITH = _words("with via by through using mit via mittels per avec par con mediante por с со через помощью com w/")
NOW = _words(
    "now then please pls plz next first just let's lets also ok okay yes again finally instead so immediately"
    " directly simply quickly"
    " only maybe probably definitely together asap today bitte jetzt dann mal gleich danach puis maintenant stp"
    " svp plaît plait"
    " ensuite ahora luego favor entonces пожалуйста сейчас теперь потом затем agora us 用"
)
PUT_WITH = _words(
    "compare compared comparing replace replaced swap swapped substitute confuse confused integrate integration"
    " interop compatible"
    " compatibility interfere interferes conflict conflicts difference differences vergleiche ersetze remplace"
    " compare compara reemplaza"
    " сравни замени"
)
"""Verbs that use the token as a thing: `replace $a with $b`."""
ARRANGES = _words("sort sorted order ordered group grouped filter filtered index partition rank count key join split")
"""What follows `by` after one of them is a thing: `sort users by $team`."""
TAKES_WITH = _words(
    "wait warte attends espera подожди problem problems issue issues trouble troubles wrong happy familiar"
    " experience deal happens happened"
    " happening similar bug bugs error"
    " errors stuck unhappy fed done bored documented up fine okay experiment difficulties help luck problème"
    " problema проблема"
)
"""Right before `with` they make the token a thing: `an issue with $forge`."""
TAKES_TO = _words(
    "switch go move back proceed continue return hand give leave delegate pass assign escalate send turn over"
    " jump time ready want like"
    " love need have us you going skip fall route change wechsle passe cambia pasa переключись перейди next advance"
)
TAKES_FROM = _words("call get pick take read возьми возьмите")
"""Before `from` they make the token a value: `get $team from the config`."""
TAKES_FOR = _words("time go ready opt vote wait's")
PREPOSITIONS = _words(
    "about of for in on from to at like than between into against under over after before until since without"
    " because as near regarding per"
    " concerning called named titled is are be was were am and/or beyond within inside around during despite"
    " except unlike versus vs"
    " über von für zu aus bei nach vor um sur de du des pour dans chez à sobre para en del entre о об про для из"
    " от к в на у без после до"
    " sobre para em de do da su di per"
)
MAKING = _words("make draft create write prepare give get need want do mach erstelle gib fais crée donne haz crea dame")
"""Verbs that ask for one of a kind: `draft a $blueprint`."""
MAKING_LAST = _words("machen erstellen schreiben anlegen entwerfen bauen ausarbeiten")
"""The same at the end of a German request: `kannst du mir einen $blueprint machen?`."""
ONE = _words("a an ein einen eine un une una")
TO_WHOM = _words("me us mir uns moi nous")
THANKS = _words("thanks thx danke merci gracias спасибо obrigado")
AFTER_A_VERB = _words("to into too like nothing anything forever")
JUDGED = _words(
    "rocks sucks rules stinks awesome great terrible awful horrible useless broken buggy slow amazing annoying"
    " overkill crap wonderful brilliant stuck kaputt super génial nul genial"
)
"""Judge a token when nothing else follows: `$forge rocks`."""
COMPLAINTS = _words(
    "error errors bug bugs crash crashes failure failures timeout timeouts problem problems issue issues"
)
"""Nouns of what went wrong: `$forge error` complains, `$forge error handling` asks for work."""
REPORTS = _words("report reports message messages log logs again")
UNDOES = _words("restore revert undo recover rollback roll bring")
"""After what it did they put it right: `$forge removed tests, restore them`."""
VERB_ENDINGS = ("ает", "яет", "ует", "ёт", "ится", "ется", "лся", "лась")
"""The third person in Russian, whose imperative has other endings."""
AUXILIARIES = _words(
    "ha han ont a m'a m'ont l'a t'a s'est n'ont vient sei seien habe werde haben hatten wurden waren"
    " brach nahm schrieb lief fiel ging hing blieb verlor"
)
PAST_ENDINGS = ("aron", "ieron", "ait", "aient", "hte", "kte", "zte", "gte", "lte", "rte", "nte")
"""With one of these, or with a letter beyond ASCII, the words may be a report in a language that `reports.py` reads."""
CLAIMED = _words("claimed insisted pretended promised refused decided admitted swore")
"""Verbs in the past that only tell: `$forge claimed victory`."""
REGRETS = _phrases("""
too soon; too early; too late; without asking; by mistake; by accident; for no reason; behind my back
""")
"""End a report of a mistake: `$team merged branches too early`."""
CRIES = _words("help wtf ugh oops argh sigh damn sos")
SEPARABLE = _words("ab auf aus an ein fest")
STOPS = _words(
    "stop stopp abort halt quit no nope nah nein wait nevermind enough cancel arrête non para basta стоп нет хватит"
)
"""Before `$cancel` they ask for it."""
STOP_PHRASES = _phrases("never mind; scratch that; forget it; forget that; forget this; hold on; not that; stop it")
SAID = _phrases("i said; i told you; i told you to; i meant; i mean")
"""A person corrects how a prompt was read."""
CORRECTIONS = FILLERS | STOPS | _words("oops not i didn't did don't mean meant")
"""May precede `I meant $forge` when that is a correction."""
PARTICLES = _words("in on up out off over down")
"""After a verb they end a clause: `I can't log in $forge fix it`."""
TALKS = _words(
    "suggest suggests recommends explain explains explained describe describes document documents documented tell"
    " tells told show shows"
    " showing list lists define"
    " defines translate summarize summarise mention mentions mentioned discuss discussed say says said type types"
    " typed typing enter"
    " entered write writes wrote read reads print echo log quote cite understand understands understood know"
    " knows knew learn learned"
    " like likes liked love loves loved hate hates hated remember remembers recall see saw seen hear heard mean"
    " means meant"
    " rename renamed delete removed remove search grep find found lookup compare review evaluate rate recommend"
    " consider considering"
    " think thinking wonder wondering saying asking question export set unset assign declare increment return"
    " returns inspect audit name"
    " thank congrats kudos erkläre erklär beschreibe dokumentiere vergleiche zeig zeige schreibe schreib nenne"
    " kenne verstehe tippte"
    " getippt erwähne erwähnt"
    " explique expliquer décris documente compare montre écris tapé mentionne connais comprends traduis"
    " explica explicar describe documenta muestra escribe escribí compara conozco entiendo menciona traduce"
    " объясни опиши расскажи покажи напиши сравни знаю понимаю написал ввёл упомяни переведи explique descreva"
    " spiega descrivi"
)
"""Verbs of saying, knowing and typing: their object is talked about."""
NAMES = _words("call name rename title label tag alias nenne appelle llama назови")
FINITE_PAST = _words("ran wrote went saw gave took ate drove hid lied stole threw broke began knew came became did got")
"""Pasts that are no participles, so that whatever follows is their object: `$forge wrote tests`."""
PAST = FINITE_PAST | _words(
    "used typed had tried made told said thought meant cost hurt ruined sent heard found kept left lost held"
)
PROGRAMS = _words("git npm npx pnpm yarn docker kubectl helm terraform pip pip3 cargo sudo ssh scp brew apt apt-get")
"""What a line of a shell begins with, and hardly any sentence does."""
DEEDS = _words("fix patch commit change changes branch run build pr plan output result results diff merge release")
"""Pieces of work, some of them verbs too: `$forge fix was merged`, but `$forge fix the login`."""
AUXILIARY_PASTS = _words("was were got had has have broke failed landed")
PAST_TIME = _words(
    "yesterday ago previously earlier already gestern vorhin neulich bereits ayer antes anoche вчера раньше"
    " недавно уже ontem ieri"
)
FINITE = _words(
    "is isn't are aren't was wasn't were weren't has hasn't had does doesn't did didn't don't will won't would"
    " should could can can't"
    " cannot must needs it's that's there's soll sollte muss kann doit peut debe puede должен должна ist sind war"
    " hat wird est sont était es son está fue не был была"
)
CONDITIONS = _words(
    "if when whenever while unless until because since once where as although though before after whether wenn"
    " falls sobald weil quand lorsque cuando если когда пока"
)

PROHIBITIONS = _words(
    "don't dont never mustn't shouldn't can't cant cannot won't couldn't wouldn't needn't not nobody ain't"
    " neither nor refuse forbid"
    " nicht nie niemals kein keine keinen keinem pas jamais n'utilise n'utilisez nunca jamás tampoco não non mai"
    " не никогда нельзя"
)
NEGATIONS = PROHIBITIONS | _words(
    "doesn't didn't isn't aren't wasn't weren't hasn't haven't hadn't no none without except excluding avoid"
    " avoids avoiding refrain"
    " skip skipping stop stopping disable disabling ignore ignoring exclude quit drop cancel abort kill pause w/o"
    " unlike sans ohne sin"
    " senza sem без evita evite évite vermeide keine aucun ninguna ninguno ningún minus"
)
"""Reach a token when only small words and verbs of use are in between."""
NEGATED_LAST = _words("nicht pas weg sein")
"""Alone behind a verb or a token they negate it: `starte $forge nicht`, `lass $forge weg`."""
NEGATED_FIRST = _words("ne non")
CONTRASTS = _words("not instead without rather nicht pas no")
"""Rule something out, before what is asked for instead: `not $team, $forge`."""
ON_OR_FOR = _words("on for für pour para для")
INSISTS = _words("circumstances ever means")
"""End a phrase between commas that insists: `do not, under any circumstances, use $team`."""
INSERTED = POLITE | _words("ever anymore any at all under circumstances more again here now today")
"""A clause of these words alone, before a colon, carries on the clause before it: `Do not use, ever: $forge`."""
BUT_FOR = _words("anything everything nothing more")
"""After one of these `but` begins no clause: `anything but $forge`."""
OWN = _words(
    "skip skipping stop stopping avoid avoiding ignore ignoring exclude excluding without except disable drop"
    " miss other"
)
"""After a negation they make a double one, which negates nothing."""
NEGATIVE_PHRASES = _phrases("""
instead of; rather than; other than; forget about; leave out; anything but; everything but; hold off; hold off on
no more; under no circumstances
by no means; on no account; turn off; no reason to; no need for; no need to; forbid you to; forbid you; forbidden to
not allowed to; refuse to; refuses to
nothing to do with; out of the question; statt; anstatt; anstelle von; au lieu de; en lugar de; en vez de; вместо
auf keinen fall; unter keinen umständen; hör auf; höre auf; schluss mit; en aucun cas; deja de; en ningún caso
ни в коем случае
plutôt que; invece di; em vez de; lieber nicht
""")
SMALL = (
    DETERMINERS
    | KINDS
    | WITH
    | _words(
        "this that these those it to for of in on either both or and nor ever yet now again please really even just"
        " about be such as use uses"
        " used want wants need needs needed think believe say mention invoke invokes activates activate calls launch"
        " enable"
        " you dare allowed supposed going have has having we us i utiliser utilises user usar uses usen nehmen"
        " benutzt verwendet"
        " используя используйте запускай запускайте lances lancez reason any anything"
    )
)
SUBJECT_VERBS = _words(
    "to not never ever or and nor really just even also always usually often sometimes still of please who that"
    " which you we i they he she and/or"
)
"""After one of these a verb of use does not begin a clause."""
SAYS_MORE = _words(
    "that what than as if when because so-that how why where which who and think know say said guess sure"
)
UNSURE = {
    "es": _words("un una el la lo muy para demasiado más menos mejor peor lento lenta útil bueno malo como"),
    "это": _words(""),
    "a": _words("été eu fait dit mis pris"),
}
"""Predicates in one language that are objects or articles in another, each with the words that follow a predicate."""
ADVERBS = _words("just simply really suddenly finally actually probably certainly now again also has have had is")
DANGLING = (
    DETERMINERS
    | KINDS
    | WITH
    | (DIRECTIVES - _words("go back again get"))
    | _words(
        "of to and or nor ever not don't never without about for between than like is are do does did the please"
        " avoid"
        " und oder mit nicht ohne et ou avec sans y o con sin и или с не без über sobre sur"
    )
)
"""A line that ends in one continues in the next line."""
FACTS = _words("doesn't didn't isn't aren't wasn't weren't are is was were does did won't")
INVENTORY = _words(
    "available existing supported known options choices example examples e.g i.e differences comparison glossary"
    " faq pros cons skills commands tokens keywords"
)
LEADS = FILLERS | DIRECTIVES | WITH | NOW | KINDS | MODES | WORK | STOPS
"""May lead in a token with a colon, in lower case: `mode: $forge`."""

TURNS_INTO = _words("to into a en in by with par por на в auf zu")
"""Between two variables after a verb: `rename $team to $squad`."""
GIVES = _words("delegate give hand assign pass leave gib übergib donne confie da pasa asigna отдай передай")
"""What stands between the verb and the `to` is work, though it be a variable: `hand $ticket to $team`."""
IN_PLACE_OF = _words("of than not statt вместо de")
"""The last words of a replacement: `instead of $t`."""
ASIDES = _words("note hint side quick")
"""The words of a label by which a person speaks to the reader: `Note: use $forge`, `Side note: use $forge`."""
ABBREVIATIONS = _words("e.g eg i.e cf z.b bspw p.ex ej")
"""The full stop of one ends no sentence: `e.g. $forge it`."""
SAYING = _words(
    "says said say saying wrote write writes typed type types typing entered enter told read reads states stated prints"
    " printed puts answered suggested suggests replied recommended recommends proposed sagt sagte sagen schrieb"
    " schreibt steht stand lautet dit disait écrit dice dijo escribió pone говорит"
    " сказал написал написано пишет"
)
"""Somebody's words follow: `the README says: use $forge`."""
EXAMPLES = _phrases("""
like this; like so; such as; for example; for instance; example; examples; e.g; eg; i.e; cf; usage
zum beispiel; z.b; bspw; par exemple; p.ex; por ejemplo; ej; например
""")
"""An example follows."""
TEXTS = _words(
    "message messages prompt command syntax hint note title subject label tooltip text sentence line quote comment"
    " description output subtitle"
    " placeholder heading headline caption section chapter paragraph slogan string slide page nachricht titel text"
    " überschrift satz beschreibung titre phrase título frase mensaje заголовок сообщение"
)
"""Things that are made of words, and so may hold a token."""
PUTS = _words(
    "add put insert append write print change set show display füge schreib schreibe ajoute écris añade escribe"
)
"""Verbs that put a text somewhere: `add a line to the README: use $forge`."""
ACCORDING = _words("according laut selon según согласно")
INTROS = _phrases("""
after that; after this; with that done; from now on; for now; danach; après ça; después de eso; после этого
""")
"""Precede a clause, as a single filler does."""
LATER = _phrases("""
tomorrow; later; next time; next week; next month; next year; next sprint; next monday; tonight; some day; someday
morgen; später; nächste woche; nächstes mal; demain; plus tard; la semaine prochaine; mañana; más tarde
завтра; позже; потом когда
""")
"""Say that it is for later, so nothing starts now."""
COPULAS = _words("is was be were are being ist war wäre sein est était serait es era sería")
TOLD_TO = _words("to that they should please")
"""May come between a verb of saying and the verb of use: `he said that they should use $forge`."""
NAMED = _words("titled called named")
FROM = _words("from из")
REFLEXIVES = _words("se me le")
DOES = _words("do does did")
POINTS_BACK = _words("it that this they das es это")
"""Mean the token before them in a question: `$forge, what is that?`."""
IT_IS = _words("it's is its")
INTO = _words("in as into under im en enter")
STARTS = _words("kick start fire spin set")
STARTED_WITH = _words("off up out")
"""The particles of those verbs: `kick off $forge`, `spin up $team`."""
PUTS_ON = _words("put throw")
GOES_INTO = _words("go switch")
USES = _words("use using run")
GOES_THROUGH = _words("go walk step look run")
LIKENS = _words("than as like")
TELLING = _words("tell teach remind warn ask inform advise instruct learn show explain recommend")
"""Tell others than the agent to use it: `tell users to use $forge`."""
AS = _words("as als comme como как")
AS_BEFORE = _words(
    "before usual always planned discussed agreed suggested proposed well soon possible needed necessary fast quickly"
    " long far much many described specified nächstes erstes immer üblich vorher besprochen d'habitude avant toujours"
    " siempre antes обычно всегда раньше"
)
"""After `as` they say how to use it; any other word there says what the token is."""
STATES = _words(
    "set unset null nil none empty undefined missing being true false bound equal unbound absent leer gesetzt vide"
    " vacío"
    " vacía nulo пустой пустым пуст"
)
"""What a variable can be: `with $team empty`."""
NULLS = _words("null nil undefined unset nan")
SMALL_STATES = _words("auf à a en на to as")
BECOMES = _words("be default equal denote contain hold point include represent consist")
"""Verbs of a variable: `let $team be an array`, `$team contains duplicates`."""
AFTER_A_STATE = _words("based followed combined needed")
"""Look like the state of a variable, but say how a skill is used."""
NOT_YET = _phrases("not yet; noch nicht; pas encore; todavía no; aún no; пока не; ещё не; еще не")
STATING = _words(
    "i we he she they who i'll we'll he'll she'll they'll will would could might may ich wir je nous on yo nosotros"
    " я мы"
    " они он она"
)
"""Right before a verb of use they make it a statement: `next week we run $forge`."""
DEICTIC = _words("this that it here these those das dies hier ça ici cela esto aquí это этот здесь")
"""Point at the work at hand."""
MODALS = _words("should must can could may might will would shall")
TICKETS = _words("issue ticket task bug pr story card")
"""What a skill can be given to work on: `assign $team to issue 12`."""
ORDERS = _words("request task order job auftrag tarea задача")
"""A token can be the attribute of a task: `my $forge request: fix the login`."""
OURS = _words("skill command token tool mode workflow loop one variable befehl commande comando команда")
"""What a token of ours is; after `a new skill,` it is only named."""
ONLY = _words("only nur lediglich seulement solo solamente только")
RUNS = _words("run pass round session loop")
FULL = DEICTIC | _words(
    "them me everything all anymore more longer long slow much now today tonight enough needed wanted meant myself late"
    " mistake fault mehr nicht lang lange zu plus más больше"
)
"""May end a sentence that gives up, before `$cancel` without a mark: `this takes too long $cancel`."""
GIVES_UP = STOPS | _words("sorry wrong too enough entschuldigung falsch falscher pardon trop perdón demasiado слишком")
"""Say right after `$cancel` why: `$cancel wrong repo`."""
ENDED = _words(
    "run running current work working task job loop workflow session plan whole thing stuff of and"
    " lauf arbeit aufgabe travail tâche trabajo tarea запуск задачу"
)
"""Things that can be cancelled: `$cancel the current run`."""
AFTER_CANCEL = (
    OBJECTS
    | JOINS
    | CONJUNCTIONS
    | TAIL
    | WORK - _words("close reset run work")
    | _words(
        "i i'm i've i'll we we've we're we'll ich wir je nous я мы because since as until weil da denn car porque"
        " потому it's its this that's you we're"
    )
)
"""May follow `$cancel` when it is an order."""
