"""The words, Chinese and English, by which statements say that something has changed, has ended or was never so."""

from __future__ import annotations

import re

HAN = re.compile(r"[㐀-鿿]")
REPORTED = re.compile(
    r"\s*(?:说(?:了|过)?|表示|通知(?:大家)?|宣布|提到|指出|告诉(?:大家|我们)|补充(?:说)?|[:：])[，,:：“\"]*"
    r"|\s+(?:said|says|announced|mentioned|pointed out|explained|confirmed|added|told (?:us|me"
    r"|everyone))(?:\s+that)?[\s,:“\"]+",
    re.IGNORECASE,
)
OPENING = re.compile(
    r"^(?:\d{4}-\d{2}-\d{2}(?: \d{2}:\d{2})?|\d{4}年\d{1,2}月(?:\d{1,2}日)?|(?:On|Since|From|In) \d{4}(?:-\d{2}-\d{2})?)[，, ]*"
)
UNREAL = re.compile(
    r"打算|计划|想(?:要|去|换|搬|把|买|养|辞|学|在|不)|考虑|希望(?!(?:被|别人|大家)?叫)|可能|也许|说不定|要是|如果|假如|万一|梦见|梦想|梦到|开玩笑|玩笑|假装|扮演|假设"
    r"|面试|应聘|[?？]\s*$|吗[。！]?$|是不是|有没有|要不要|以后(?:要|想|会)|将来|明年.{0,6}(?:要|会|想)|迟早|差点"
    r"|\b(?:would|might|(?-i:may)|could|plans?|planning|hopes?|hoping|considers?|considering|thinking (?:of|about)|wonder\w*"
    r"|wish\w*|wants?(?! to be called)"
    r"|dream\w*|jok\w+|kidding|pretend\w*|imagin\w+|if|maybe|perhaps|some ?day|one day|applied|applying|interview\w*"
    r"|almost|nearly|threaten\w*|tempted|debating|toying)\b|\?\s*$",
    re.IGNORECASE,
)
PAST = re.compile(
    r"以前|曾经?|之前|小时候|过去(?:在|住|是|曾)|前几年|从前|当年|年轻时|那时|大学时|上学时|早年"
    r"|\b(?:used to|formerly|previously|as a (?:child|kid|teenager)|years ago|once (?:lived|worked|had|was)|back in"
    r"|in (?:his|her|their)"
    r" (?:teens|twenties|youth)|at university|grew up|when (?:he|she|they) (?:was|were))\b",
    re.IGNORECASE,
)
VISITING = re.compile(
    r"出差|旅游|旅行|度假|玩(?:几|两|三|一|了)|暂住|借住|临时|探亲|串门|这几天|这周|周末在|住(?:了)?(?:几|两|三|一|四|五)(?:天|晚|个?星期|周)|酒店|民宿|宾馆"
    r"|\b(?:visit\w*|trip|holiday|vacation|temporar\w+|for (?:a|the|one|two|three|\d+) (?:week|weekend|night|day|month"
    r"|fortnight)s?"
    r"|stay(?:s|ing|ed)|hotel|airbnb|conference|house-?sitting|couch)\b",
    re.IGNORECASE,
)
BESIDES = re.compile(
    r"也|还(?!是|原)|另外|此外|又(?:买|养|加|多|领|添)|第二|再(?:买|养|领|加)|同时|新添|除了"
    r"|\b(?:also|too|as well|another|second|third|additional\w*|besides|in addition|plus|likewise|both|joined by)\b",
    re.IGNORECASE,
)
PERSON = (
    r"爸爸?|妈妈?|父亲|母亲|老婆|妻子|太太|老公|丈夫|儿子|女儿|孩子|哥哥?|姐姐?|弟弟?|妹妹?|爷爷|奶奶|外公|外婆|姥姥|姥爷|男友|女友|[男女]朋友|孙[子女]|侄[子女]"
    r"|[表堂][哥姐弟妹]|叔叔?|舅舅?|姑姑?|阿姨|同学|同事|朋友|闺蜜|室友|邻居|老师|领导|老板|客户|导师|师[兄弟姐妹]|徒弟|前任|房东"
)
ENGLISH_PERSON = (
    r"mother|mom|mum|father|dad|parents?|wife|husband|spouse|partner|son|daughter|child|children|kids?|brother|sister"
    r"|siblings?|grand\w+|nan|gran"
    r"|girlfriend|boyfriend|fianc[eé]e?|uncle|aunt|cousin|niece|nephew|in-laws?|friends?|colleagues?|coworkers?"
    r"|co-workers?|boss|manager|neighbou?rs?"
    r"|flatmates?|roommates?|housemates?|teacher|landlord|employer|client|ex"
)
OTHERS = re.compile(
    rf"^(?:的|家)?[^，,。和跟与有没]{{0,4}}?(?P<zh>{PERSON})|^['’]s (?:\w+ ){{0,2}}?(?P<en>{ENGLISH_PERSON})\b", re.IGNORECASE
)
CLAUSES = re.compile(r"[，,;；。!！]|(?<=[a-z0-9]) (?:because|since|after|when|but|so)(?= )|(?<=[a-z0-9])\. ")

# What one has only once, with the value behind the words that name it.
VALUE = r"([^，,。;；]{1,24})"
ONE_VALUE: dict[str, re.Pattern[str]] = {
    "home": re.compile(
        rf"(?<!把)(?:定居(?:在|于)?|租?住(?:在|进|到|去)(?!了?院)|搬(?:到|去|进|回|至)了?|搬家到)(?:了)?{VALUE}"
        rf"|在([^，,。]{{1,12}})(?:租房|租了|买了房|安家)"
        rf"|\b(?:lives? (?:in|on|at)|(?:has )?(?:moved|relocated) (?:back )?(?:in)?to|resides? in|(?:has )?settled in"
        rf"|living in) {VALUE}",
        re.IGNORECASE,
    ),
    "workplace": re.compile(
        rf"在([^，,。]{{1,16}}?)(?:工作|上班|任职|就职)|(?:就职于|任职于|入职了?|跳槽(?:到|去)了?|加入了?){VALUE}"
        rf"|\b(?:works? (?:at|for)|(?:has )?joined|is employed (?:at|by)|(?:has )?signed with|(?:new"
        rf"|started a) job at) {VALUE}",
        re.IGNORECASE,
    ),
    "trade": re.compile(
        rf"(?:职业是|(?:职位|岗位)是|升职?(?:成|为|任)了?|改行(?:做|当)|转行(?:做|当)|转岗(?:做|到)?){VALUE}"
        r"|是([^，,。]{0,12}(?:专员|主管|总监|经理|工程师|护士|医生|律师|会计|司机|店长|教师|程序员|设计师|厨师))(?![，,。]?[吗?？])"
        rf"|\b(?:works? as|(?:has )?started as|(?:was )?promoted to|is employed as|became|retrained as) {VALUE}",
        re.IGNORECASE,
    ),
    "school": re.compile(
        rf"在([^，,。]{{1,12}}?)(?:读书|读[本硕博研]|上(?:大|小|中)?学|念书|就读|念大学)|(?:转学到|考上了?|就读于){VALUE}"
        rf"|\b(?:studies at|is studying (?:[\w-]+ ){{1,3}}at|(?:has )?transferred to|is a student at) {VALUE}",
        re.IGNORECASE,
    ),
    "field": re.compile(rf"\b(?:is studying|studies|majors in) {VALUE}", re.IGNORECASE),
    "vehicle": re.compile(rf"开(?:的是)?(?:一辆|一台)?([^，,。会店车]{{2,12}})$|\bdrives an? {VALUE}", re.IGNORECASE),
    "relation": re.compile(
        rf"\bis (single|married|divorced|engaged|widowed)\b|(单身|已婚|离异)|\b(?:is dating|is engaged to|is married to"
        rf"|married) {VALUE}",
        re.IGNORECASE,
    ),
    "form of address": re.compile(
        rf"(?:希望|想|喜欢)被?(?:别人|大家)?(?:叫|称呼)(?:他|她|为|做|作)?{VALUE}|改名叫?(?:做|为)?{VALUE}"
        rf"|\b(?:wants|likes|prefers|asked) to be called {VALUE}|\bgoes by {VALUE}",
        re.IGNORECASE,
    ),
}
# States and what ends them, of the same subject.
ENDED_BY = tuple(
    (re.compile(state, re.IGNORECASE), re.compile(end, re.IGNORECASE))
    for state, end in (
        (
            r"在[^，,。]{1,16}?(?:工作|上班|任职|就职)|职位是|是[^，,。]{0,12}(?:专员|主管|经理|工程师|护士|医生|律师|会计)"
            r"|\b(?:works? (?:as|at|for)|is employed)\b",
            r"辞职|离职|被裁|失业|退休|跳槽|转行|改行"
            r"|\b(?:laid off|retired|resigned|unemployed|(?:quit|left) (?:his|her|their|the) job|new job|started as"
            r"|retrained)\b",
        ),
        (
            r"失业|待业|找工作|\b(?:unemployed|between jobs|looking for (?:a )?(?:work|job)|job[- ]hunting)\b",
            r"入职|找到工作|拿到offer|上班了|\b(?:got|accepted|has) (?:an? )?(?:\w+ )?(?:offer|job)\b|\b(?:signed with|joined"
            r"|started (?:at|as)|hired)\b",
        ),
        (
            r"读[本硕博研]|在[^，,。]{1,12}(?:读书|上学|念书|就读)|\b(?:studies|is studying|is a student)\b",
            r"退学|毕业了|休学|\b(?:dropped out|graduated)\b",
        ),
        (r"过敏|\ballergic\b", r"不过敏|脱敏|能吃|可以吃|\bcan eat\b|\boutgr[eo]w|\bnot allergic\b"),
        (r"素食|吃素|\bvegetarian\b|\bvegan\b", r"开荤|不吃素|吃肉|\beat(?:s|ing)? (?:meat|fish)\b"),
        (
            r"租|\brent(?:s|ing)\b",
            r"买了房|自己的房|\bbought (?:an?|his|her|their) (?:\w+ ){0,2}(?:flat|house|home|apartment)\b|\bgot the keys\b",
        ),
        (r"住院|\bin (?:the )?hospital\b", r"出院|\b(?:discharged|home from (?:the )?hospital)\b"),
        (
            r"单身|\bis single\b",
            r"脱单|有[男女]朋友|谈恋爱|在一起了|结婚|订婚|\b(?:is|are|started) dating|got together|got (?:engaged|married)\b",
        ),
        (
            r"在一起|谈恋爱|[男女]朋友|结婚|已婚|\b(?:dating|married|girlfriend|boyfriend|engaged)\b",
            r"分手|分了$|离婚|离异|\b(?:broke up|split up|divorced|separated|called off the (?:wedding|engagement))\b",
        ),
        (
            r"抽烟|吸烟|\bsmok(?:es|er)\b",
            r"戒烟|不抽烟了|\b(?:quit|stopped|gave up) smoking\b|\bsmoke-free\b|\bcigarette\b.{0,40}\bquit\b",
        ),
        (r"怀孕|\b(?:is pregnant|expecting)\b", r"生了|\b(?:gave birth|had (?:the|her) baby)\b"),
    )
)

CHANGED = re.compile(
    r"改(?!变主意|善|进|天|日)|换(?:成|了|到|去|回|用|乘|班|绑)|更换|调(?:到|至|成|整|低|高)|推迟|延期|延后|顺延|提前(?:到|至)|挪到|涨(?:到|至|了|价)|降(?:到|至|了|价|为)"
    r"|升(?:到|至|为|成|级|职)|转(?:到|去|为|成|做|给|让|学|卖)|交给|移交|接手|取消|作罢|泡汤|不(?!久|错|过(?!来)|仅|但|只|同|断)(?=[^，,。]{0,10}了)|搬(?:到|去|进"
    r"|出|回|家)|不再|没再|再也不|戒"
    r"|退(?:了|掉|学|出|租|票|订|款|群|坑)"
    r"|卖(?:了|掉)|丢了|去世|过世|走丢|死了|分手|分了|离婚|离异|复合|恢复|用回|又(?:开始|能|可以|回)|回到了?|还是(?:去|用|回|在|要)|辞|毕业|通过|考过|出院|痊愈|结束|停(?:了|用|业|办|更)"
    r"|不(?:做|干|上|住|开|玩|喝|抽|练|跑|看|听|追|戴|穿)|停掉|关张|倒闭|散伙|解散|解约|搬走|搬离|转让|坏了|报废|注销|下架|过期|告吹|黄了|吹了|改期"
    r"|挪|推到|顺延|放弃|离开|跳到|接任|卸任|当上|再婚|和好|戒掉|治好|康复|好了|迁|撤|减到|加到|换|告别|腻了"
    r"|满\d+岁|变(?:成|为)|成了|不喜欢|不吃|不喝|不用|不去|不养|不学|不打|从今|以后"
    r"|\b(?:no longer|any ?more|instead|from now on|moved|moves|switch(?:ed|es)|changed|swapped"
    r"|replac(?:ed|es)|postpon\w+|push(?:ed|es)? (?:back|to)"
    r"|brought forward|reschedul\w+|slip(?:s|ped)|rais(?:ed|es)|lowered|increas(?:ed|es)|went up|goes up|dropped"
    r"|took over|taken over|hand(?:ed|s)? over|cancel\w*|called off"
    r"|quit\w*|stopp\w+(?! (?:at|by|in|to|for)\b)|g(?:ave|iven|iving)\b(?=.{0,20}\bup\b)"
    r"|turn(?:s|ed)(?= (?:\d|[a-z]+(?:teen|ty)?\b))|sold"
    r"|traded in|returned|died|passed away|broke up|split up|ended|over with|came round|come round|gone off|went off"
    r"|again|once more|back (?:on|to|in)|re-?(?:subscribed|joined|adopted|opened|started|instated)"
    r"|cut (?:out|down|to)"
    r"|upgraded|downgraded|recovered|discharged|graduated|got rid of"
    r"|left|leaving|resigned|retired|transferred|promoted|demoted|dropped out|closed|shut down|expired|broke|lost"
    r"|ditched|abandoned"
    r"|scrapped|shelved|delayed|deferred|shifted|rebooked|went back|gone back|goes back|reverted|healed|cured"
    r"|cleared up|finished|completed"
    r"|stepped down|fell through|used up|ran out|outgrew|gave away|given away|donated|passed|failed|made up"
    r"|reconciled|remarried"
    r"|got back together|renamed|converted|became|turned into|hasn['’]t|haven['’]t|doesn['’]t|does not|can['’]t"
    r"|won['’]t|is not|isn['’]t)\b",
    re.IGNORECASE,
)
RESUMED = re.compile(
    r"恢复|复合|用回|又(?:开始|能|可以|回)|还是(?:去|用|回|在|要)|可以[^，,。]{1,10}了"
    r"|\b(?:again|once more|re-?(?:subscribed|joined|adopted"
    r"|opened|started|instated))\b",
    re.IGNORECASE,
)
OVER = re.compile(
    r"(?:没|不)[^，,。]{1,10}|取消|分手|分了|退了|卖了"
    r"|\b(?:cancel\w*|quit|stopped|sold|off|without|returned|caved|called off|broke up"
    r"|n['’]t)\b|n['’]t\b",
    re.IGNORECASE,
)
STOPPED = re.compile(r"戒|不(?!久)|没|停|\b(?:cut out|quit|stopped|g(?:ave|iven) up|off)\b", re.IGNORECASE)
DIED = re.compile(
    r"去世|过世|走丢|死了|送人|\b(?:died|passed away|ran away|put to sleep|rehomed|given away|put down)\b", re.IGNORECASE
)
CALLED = re.compile(
    r"(?:名?叫|名字是|名为)[“\"]?(?P<zh>[^\s，,。的”\"]{1,8}?)[”\"]?(?=的|[，,。]|$)|\b(?:called|named) (?P<en>[A-Z][\w'-]*)"
)

STATED = re.compile(
    r"^(?P<head>[^，,。:：]{2,24}?)(?:是|叫做?|为|改成了?|换成了?)(?P<value>[^，,。]{1,40})"
    r"|^(?P<english>[^,.;:]{3,60}?) (?:is|are"
    r"|is named|is called|is now) (?P<told>[^,;]{1,60})",
    re.IGNORECASE,
)
# What stands behind them is the new value, not what has changed.
TOWARDS = re.compile(
    r"(?<=搬到)了?.*|(?<=调到)了?.*|(?<=回到)了?.*|(?<=转学到)了?.*|(?<=换到)了?.*|(?<=改到)了?.*|(?<=移到)了?.*|(?<=换成)了?.*|(?<=改成)了?.*"
    r"|(?<=\bmoved).*?\bto\b.*|(?<=\brelocated).*?\bto\b.*|(?<=\bswitched) to\b.*|(?<=\bchanged) to\b.*",
    re.IGNORECASE,
)
# Something new of a kind: a change only for who had one of that kind.
REPLACED = re.compile(r"换了?(?:一)?[双台辆个部件套只条款把](?P<kind>[^，,。]+)")

LIKED = re.compile(r"(?<!不)(?:喜欢|爱[吃喝看听玩])|\b(?:likes?|loves?|enjoys?|fond of|keen on)\b", re.IGNORECASE)
DISLIKED = re.compile(
    r"不喜欢|不爱|讨厌|受不了|\b(?:hates?|dislikes?|loathes?|can['’]t stand|(?:does not|doesn['’]t) like)\b", re.IGNORECASE
)
# They mark a change only where both statements say hardly anything else.
WEAK = re.compile(
    r"坏了|好了|挪|撤|迁|当上|吹了|黄了|换(?![成到去回用])|不(?:做|干|上|住|开|玩|喝|抽|练|跑|看|听|追|戴|穿|用|去|养|学|打|吃)(?![^，,。]*了)|通过|结束|毕业"
    r"|left|leaving|lost|broke|passed|failed|finished|completed|made up|became|closed|delayed"
    r"|returned|transferred|converted|dropped|cut to|back (?:on|to|in)"
    r"|(?:has|have|does|ca|wo|is)n['’]t|does not|is not",
    re.IGNORECASE,
)
# 改喝: another object of the same verb.
OTHER_OBJECT = re.compile(r"改(?:成|为)?(?P<verb>[喝坐骑学练住睡带考])")

NUMBER = re.compile(
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b"
    r"|\b(?:january|february|march|april|june|july|august|september|october|november|december)\b"
    r"|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b|\d+(?:[.:：]\d+)*"
    r"|[零一二两三四五六七八九十百千万]+(?=[点元块号月日岁层楼度%％公斤名个箱片次杯包条里])|[一二三四五六日天](?<=周.|期.)",
    re.IGNORECASE,
)
NAMED_VALUE = re.compile(r"(?<!\w)'[^']+'(?!\w)|\d+(?:[.:]\d+)*|[“\"《「『][^”\"》」』]+|[A-Za-z]*[A-Z]\w*|\S+@\S+")
NAMELIKE = re.compile(
    r"(?:名字?|姓名|昵称|网名|微信名|生日|密码|口令|地址|邮箱|电话|号码?|号|工位|座位|职位|岗位|专业|学校|公司|班级|时间|日期|价格|利率|年龄|身高|体重|主题|的书|书目)$"
    r"|\b(?:name|nickname|birthday|password|passcode|code|address|email|number|locker|seat|desk|room|position|title|major"
    r"|school|company|time|date|deadline|price"
    r"|rate|age|height|weight|dose|flight|train|gate|username|handle|pin|kick-off|size)$",
    re.IGNORECASE,
)

WRONG = re.compile(
    r"(?:说|记|看|弄|搞|打|写|听|输|算)(?:错|反|岔)|口误|笔误|更正|纠正|误会|不是(?:我|他|她|本人)(?![的们])"
    r"|\bI meant\b|\bmeant to (?:say|write|type)|\bmisread|\bmisspoke|\bmistyp|\btypo\b|\btyped\b.{0,16}\b(?:backwards"
    r"|wrong)|\bcorrect(?:ed|ion|ing)\b|\bwasn['’]t (?:me|him|her|them)\b"
    r"|\bwas not (?:me|him|her|them)\b|\bnever (?:said|had|was)\b|\bmistaken|\b(?:got|had|was) (?:it|that|this) wrong"
    r"|\b(?:was|is) (?:his|her|their) [a-z]+['’]s\b|\bremembered? wrong|\bnot true\b|\bmixed up\b|\brecheck",
    re.IGNORECASE,
)
RATHER = re.compile(r"其实|实际上|事实上|\bactually\b|\bin fact\b|\brather\b", re.IGNORECASE)
DENIED = re.compile(
    r"(?:不是|并非|没有)(?P<zh>[^，,。]{1,12})|\b(?:not|n['’]t|wasn['’]t|isn['’]t)\s+(?:an? |the )?(?P<en>[^,.;]{2,24})",
    re.IGNORECASE,
)

HAPPENED = re.compile(r"了|过|\b\w+ed\b|\b(?:ran|went|bought|ate|had|saw|won|lost|made|took|got|paid|spent|drove|rode|swam)\b")
