"""Decides for Chinese, Japanese and Korean whether a block of `$tokens` is directed.

These languages write no blanks between words, and may ask, negate or request anywhere in the clause. So the clause is
searched with patterns, and not read word by word.
"""

from __future__ import annotations

import re

from rcs_hooks.workflow.tokens.mentions import (
    AS_THING,
    AS_VARIABLE,
    ASKED_ABOUT,
    DEFINED,
    NEGATED,
    NO_REQUEST,
    PAST,
    QUOTED,
)
from rcs_hooks.workflow.tokens.patterns import pattern

MARKS = pattern(r"[。！？；，、：,;:!?\n]|\.(?=\s|\Z)")
SENTENCE_END = pattern(r"([。！；\n]|\.(?=\s|\Z))|([？?])")

NEGATIVE = pattern(
    r"不要|别(?!的)|別(?!の)|勿|不用|不必|不需要|无需|無需|不想|不应|禁止|停止使用|避免|而不是"
    r"|しないで|使わない|使わず|なしで|やめて|ではなく|不要|使うな"
    r"|하지\s*마|쓰지|사용하지|말고|말아|없이|금지|안\s*(?:써|쓰|돼)|실행하지|대신"
)
NEGATIVE_AFTER = pattern(
    r"\s*(?:は|を|를|을|은|는)?\s*(?:使わない|使わず|しないで|やめて|なしで|不要|被禁止|말고|없이|하지\s*마|쓰지|사용하지|대신|ではなく|の代わり|실행하지|\S{0,4}지\s*(?:마|말))"
)
QUESTION = pattern(
    r"什么|甚麼|什麼|为何|為何|为啥|怎么|怎麼|怎样|如何|吗|嗎|呢|哪|谁|誰|是否|是不是|有没有|能否|多少|区别|區別"
    r"|何(?!か)|なに|なぜ|どう|どんな|どの|どれ|いつ|とは|ですか|ますか|でしょうか|のか|違い"
    r"|뭐|뭔|무엇|무슨|왜|어떻게|언제|어떤|어디|인가|나요|는지|까\s*\?|까\?|차이|란\s|이란"
)
REQUEST = pattern(
    r"请|請|帮|幫|麻烦|拜托|给我|我们|我要|我想用|可不可以|能不能"
    r"|ください|下さい|お願い|して$|してくれ|てもらえ|ていただけ|しよう|てほしい|頼む|やって"
    r"|줘|주세요|주실|줄래|줄\s*수|해라|하자|합시다|부탁|해봐|고쳐|만들어"
)
ASKING_KINDLY = pattern(
    r"[请請帮幫]|给我|てくれ|てもらえ|ていただけ|てください|お願い|줘|주세요|주실|줄래|줄\s*수|可以.{0,4}用|能.{0,4}用|可不可以|能不能"
)
DIRECTS = pattern(
    r"(?:用|使用|以|靠|让|讓|跑|启动|啟動|运行|執行|执行|运用|开始|開始|调用|调起|试试|試試|先|再|就|然后|接着|现在|直接|次は|まず|今|じゃ|では|それでは|이제|지금|먼저|그럼|다음|에서|및|和|跟|请|請|给我|来|吧|帮我)[\s*（(「]*\Z"
)
DIRECTED = pattern(
    r"\s*(?:で|を使|を実行|を起動|を開始|を走らせ|お願い|して|しよう|해|으?로|을?\s*사용|를\s*사용|을\s*실행|를\s*실행|실행|를\s*써|을\s*써|써|돌려|을\s*돌려|를\s*돌려|시작|를\s*시작|을\s*시작|하자|를\s*이용|을\s*이용|부탁"
    r"|来|修|做|一下|处理|帮|写|把|跑|实现|重构|完成|吧|去|解决|优化|开发|改|搞|给|模式|开始|启动|执行|搞定|部署|测试|检查)"
)
SUBJECT = pattern(
    r"\s*(?:은|는|이|가|は|が|是|会|會|能|不|没|沒|也|被|指|表示|意味|失败(?!了?的(?:测试|用例|构建))|失敗(?!(?:した|の)テスト)|报错|挂了|卡|已经|会在|一直|总是|使|为什么|怎么|有)"
)
OWNS = pattern(r"\s*(?:的|の|의|和|と|과|와)")
ABOUT = pattern(
    r"(?:关于|關於|解释|解釋|说明|介绍|描述|比较|比較|对比|删除|删掉|重命名|叫做|叫|输入|输入了|提到|文档|变量|命令|我的|这个|那个|了解|知道|喜欢|讨厌|看到|看过|写了|和|与|把)(?:一下)?[\s*]*\Z"
)
ABOUT_AFTER = pattern(
    r"\s*(?:という|について|に関|というのは|变量|變量|命令|技能|的|の|에\s*대|이라는|라는|변수|문서|명령|(?:을|를)?\s*(?:설명|알려|소개|사용법|쓰는\s*법)|を(?:説明|削除|リネーム|知|入力|打)|를\s*(?:설명|삭제|입력)|을\s*(?:설명|삭제|입력)|を(?:見|読)|改名|重命名)"
)
RENAMED = pattern(
    r"\s*(?:を|을|를)(?=\s*\$[A-Za-z]+\s*(?:に|へ|으?로))|\s*(?:を|을|를)[^。.\n]{0,20}(?:リネーム|改名|名前|이름)"
)
QUOTES = pattern(r"(?:说|說|写|寫|写道|言う|言った|書いた|と書|라고|썼|적혀)[^。！？，、,:：]{0,4}[:：]\s*\Z")
EXAMPLE = pattern(r"(?:比如|例如|譬如|例えば|たとえば|예를\s*들어|예시?\s*[:：])[^。！？\n]{0,12}\Z")
LATER = pattern(r"明天|下周|下次|以后|明日|来週|今度|내일|다음에|다음\s*주|나중에")
USED_AS = pattern(r"\s*(?:作为|作為|当作|當作|当成|를?\s*변수|을\s*변수|[をは][^。、]{0,12}として)")
ENDS_IT = pattern(
    r"[ \t]*(?:[^\w\s]|\n|\Z|吧|了|掉|它|这|這|当前|當前|一下|任务|任務|运行|執行|して|する|を?実行"
    r"|で[^。]{0,6}止|お願い|해|하|을|를)"
)
"""What may follow `$cancel` when it is an order."""
TELLS_PAST = pattern(
    r"昨天|刚才|刚刚|上次|之前|曾经|以前|昨日|さっき|先ほど|前回|어제|아까|지난|전에"
    r"|(?:ました|した|だった|です|った|됐다|했다|했는데|했어|습니다|었다|였다|했더니|버렸어|버렸다|버렸네)(?:\Z|[。が、\s,])"
)
TELLS = pattern(
    r"\s*(?:又|刚|居然|竟然|竟|自己|直接|全|都|已经)*(?:[把将將].*了"
    r"|(?:删|删除|刪除|改|弄|搞|提交|推送|覆盖|破坏|毁|清空|重写|回滚|跑|停|忘|忘记|失败|崩溃|超时)"
    r"(?:坏|掉|丢|错|乱|光|没|挂|崩)?了(?!的).*)[\s~～…]*\Z"
    r"|\s*に.*(?:され|られ)た[\s。]*\Z|\s*때문에|\s*또\s+\S*[했었았췄졌렸]어"
)
"""What follows a block to say what it did: `把测试删了`, `删除了我的测试`."""
ASKS_ALSO = pattern(r"吧|[请請帮幫]|然后|然後|再|就|之后|以后|告诉|通知")
"""What makes such a report a request in the same clause: `把测试删了吧`, `把登录修好了再提交`."""


def why_not(before: str, following: str) -> str | None:  # noqa: PLR0911 - one answer for each kind of word
    """Return why a block is only mentioned; None if it is directed.

    `before`, `following`: the line before the block, and the text after it.
    """
    end = SENTENCE_END.search(following)
    sentence_rest, asks = (following[: end.start()], bool(end[2])) if end else (following, False)
    starts = [mark.end() for mark in MARKS.finditer(before)]
    clause = before[starts[-1] :] if starts else before
    rest = MARKS.split(sentence_rest, maxsplit=1)[0]
    whole = f"{clause}\ufffc{rest}"
    if why := _is_foreign(before, clause, rest):
        return why
    kind = bool(ASKING_KINDLY.search(f"{clause} {sentence_rest}"))
    if (NEGATIVE.search(clause) or NEGATIVE_AFTER.match(rest)) and not re.search(r"別忘|别忘|忘れないで|잊지", clause):
        return NEGATED
    if (asks or QUESTION.search(whole) or QUESTION.search(sentence_rest)) and not kind:
        return ASKED_ABOUT
    if re.search(r"为什么|怎么|什么|なぜ|とは|왜|무엇|뭔지", whole):
        return ASKED_ABOUT
    if TELLS_PAST.search(whole) and not kind:
        return PAST
    if not clause.strip() and TELLS.match(rest) and not ASKS_ALSO.search(rest):
        return PAST
    if ABOUT.search(clause) and not (clause.rstrip().endswith(("把", "和", "与")) and kind):
        return NO_REQUEST
    if OWNS.match(rest) and not DIRECTS.search(clause):
        return AS_THING
    if ABOUT_AFTER.match(rest) and not DIRECTS.search(clause):
        return NO_REQUEST
    if SUBJECT.match(rest) and not DIRECTED.match(rest):
        return DEFINED
    if DIRECTS.search(clause) or DIRECTED.match(rest) or not clause.strip(" \t*（("):
        return None
    closes = not rest.strip(" \t*）)")
    return None if closes or REQUEST.search(whole) else NO_REQUEST


def _is_foreign(before: str, clause: str, rest: str) -> str | None:
    if EXAMPLE.search(before) or QUOTES.search(before.removesuffix(clause)):
        return QUOTED
    if LATER.search(clause):
        return NO_REQUEST
    return AS_VARIABLE if USED_AS.match(rest) or RENAMED.match(rest) else None
