"""What is named after a day of the same sentence is read as that sentence means it, or stays as it was said."""

from datetime import datetime

import pytest
from historian.text.gate import find_relative_words
from historian.text.time_expressions import find_time_expressions, resolve_times

WEDNESDAY = datetime.fromisoformat("2026-03-18T10:30:00+08:00")
THURSDAY = datetime.fromisoformat("2025-11-20T21:00:00+00:00")


def resolved(text: str) -> str:
    at, zone = (THURSDAY, "Europe/London") if text.isascii() else (WEDNESDAY, "Asia/Shanghai")
    once, _ = resolve_times(text, at, zone)
    assert resolve_times(once, at, zone)[0] == once, "resolving again changes nothing"
    return once


def reported(text: str) -> list[str]:
    return [finding.text for finding in find_relative_words(resolved(text)).violations if finding.kind == "time"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("下周三出发，周日回来", "2026-03-25出发，2026-03-29回来"),
        ("下周一开会，周三交报告", "2026-03-23开会，2026-03-25交报告"),
        ("上周二面试，周五拿到offer", "2026-03-10面试，2026-03-13拿到offer"),
        ("上周二面试，周五要去复试", "2026-03-10面试，2026-03-20要去复试"),
        ("明年大概五月结婚", "2027年大概2027年5月结婚"),
        ("明年三月去北京，五月回来", "2027年3月去北京，2027年5月回来"),
        ("3月28号去，30号回", "2026-03-28去，2026-03-30回"),
        ("明天九点的火车，下午一点到", "2026-03-19 9点的火车，2026-03-19 13:00到"),
        ("I'm flying out next Thursday, back on Sunday", "I'm flying out on 2025-11-27, back on 2025-11-30"),
        ("I fly on 3 December and am back on the 7th", "I fly on 2025-12-03 and am back on 2025-12-07"),
        ("Last Tuesday I got it and on Friday we celebrated", "On 2025-11-11 I got it and on 2025-11-14 we celebrated"),
        ("From now until Christmas I'm not drinking", "From 2025-11-20 to 2025-12-25 I'm not drinking"),
    ],
)
def test_an_incomplete_name_takes_over_what_the_day_before_it_says(text: str, expected: str) -> None:
    assert resolved(text) == expected
    assert not reported(text)


def test_who_waits_so_long_waits_until_a_day() -> None:
    assert resolved("再等三天就放假了") == "2026-03-21就放假了"


def test_the_last_weekday_of_a_year_is_in_its_december() -> None:
    assert resolved("It closes on the last Friday of this year") == "It closes on 2025-12-26"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("下周四飞，周一之前把房退了", ["周一"]),
        ("3月28号去，2号回", ["2号"]),
        ("12月24日出发，周日回", ["周日"]),
        ("I'm flying out next Thursday so see you Monday", ["Monday"]),
        ("I fly on 28 November and am back on the 3rd", ["the 3rd"]),
    ],
)
def test_what_may_lie_before_or_after_that_day_stays_and_is_reported(text: str, words: list[str]) -> None:
    assert reported(text) == words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("这周六日要加班", "2026-03-21至2026-03-22要加班"),
        ("帮我看一下周五的天气", "帮我看一下2026-03-20的天气"),
        ("列个周六要问的清单", "列个2026-03-21要问的清单"),
        ("下周二三都行", "2026-03-24至2026-03-25都行"),
        ("买的23号走的票，26号晚上到家", "买的2026-03-23走的票，2026-03-26 晚上到家"),
        ("装修那事过一阵再说吧", "装修那事2026-03-18之后的一段时间再说吧"),
        ("去年Q3亏了", "2025年第3季度亏了"),
        ("明儿一早六点出发", "2026-03-19 06:00出发"),
        ("The Halloween party's at ours tomorrow", "The Halloween party's at ours on 2025-11-21"),
        ("From here till New Year's it's nonstop", "From here till New Year's Day 2026 (2026-01-01) it's nonstop"),
        ("两个来月后回国", "2026-03-18的两个来月后回国"),
        ("I saw him the other weekend", "I saw him some weeks before 2025-11-20"),
        ("Blue Monday is the third Monday of January", "Blue Monday is on 2026-01-19"),
        ("very soon we will know", "very soon after 2025-11-20 we will know"),
        ("改天请你吃饭", "2026-03-18之后的一段时间请你吃饭"),
        ("前几天感冒了", "2026-03-18之前的几天感冒了"),
        ("大半年前辞职的", "2026-03-18的大半年前辞职的"),
        ("半年前辞职的", "2025年9月辞职的"),
        ("Back in March we lived there", "Back in March 2025 we lived there"),
        ("I'll be back in March", "I'll be back in March 2026"),
        ("One of these days we'll go", "Some time after 2025-11-20 we'll go"),
        ("I saw him the other week", "I saw him some weeks before 2025-11-20"),
        ("I saw him the other day", "I saw him some days before 2025-11-20"),
        ("I'll pay you in a week or so", "I'll pay you about a week after 2025-11-20"),
        ("they moved it from Tuesday to Thursday", "they moved it from 2025-11-25 to 2025-11-27"),
        ("my passport runs out in 10 days, am I screwed", "my passport runs out on 2025-11-30, am I screwed"),
        ("stuck in a meeting, I'll call you in a bit", "stuck in a meeting, I'll call you around 2025-11-20"),
        ("从周一忙到现在", "从2026-03-16忙到2026-03-18"),
        ("会议从下周二改到周四", "会议从2026-03-24改到2026-03-26"),
        ("昨天下午三点睡到今天早上", "2026-03-17 15:00睡到2026-03-18 早上"),
        ("现在每天跑步", "截至2026-03-18每天跑步"),
        ("换工作了，现在在字节", "换工作了，截至2026-03-18在字节"),
        ("现在去超市", "2026-03-18去超市"),
        ("周五酒吧见", "2026-03-20酒吧见"),
        ("2号去的，9号才回来", "2026-03-02去的，2026-03-09才回来"),
        ("快递8号没来", "快递2026-03-08没来"),
        ("今天凌晨一点睡的", "2026-03-18 01:00睡的"),
        ("The car was due back on Tuesday", "The car was due back on 2025-11-18"),
        ("周四请假，周五回来", "2026-03-19请假，2026-03-20回来"),
        ("2026年闰六月", "2026年闰六月"),
        ("I had a cold all last week", "I had a cold all the week of 2025-11-10 to 2025-11-16"),
        ("The wedding's in September", "The wedding's in September 2026"),
        ("29日你来吗", "2026-03-29你来吗"),
        ("晚7点开播", "2026-03-18 19:00开播"),
        ("this year's budget", "2025's budget"),
        ("The Fourth of July weekend we left town", "On the weekend of 2025-07-05 to 2025-07-06 we left town"),
        ("周五六点下班", "2026-03-20 18:00下班"),
        ("周四之前把表填了发我", "2026-03-19之前把表填了发我"),
        ("本来周三的课改周五了", "本来2026-03-18的课改2026-03-20了"),
        ("明晚10点到12点值班", "2026-03-19 22:00至2026-03-20 00:00值班"),
        ("外后天赶场", "2026-03-21赶场"),
        ("听朝早七点集合", "2026-03-19 07:00集合"),
        ("晏昼三点开会", "2026-03-18 15:00开会"),
        ("12/24晚上聚餐", "2025-12-24 晚上聚餐"),
        ("6.18零点开抢", "2026-06-18 00:00开抢"),
        ("明晚7.45的电影", "2026-03-19 19:45的电影"),
        ("这周三、周五都行", "2026-03-18、2026-03-20都行"),
        ("那周六晚上去不了", "那2026-03-21 晚上去不了"),
        ("The film is at 7.30 tonight", "The film is at 19:30 on 2025-11-20"),
        ("I was away for the past week", "I was away for the week from 2025-11-13 to 2025-11-19"),
        ("Easter weekend we went to Rome", "On the weekend of 2025-04-19 to 2025-04-20 we went to Rome"),
        ("周六日本队比赛", "2026-03-21日本队比赛"),
    ],
)
def test_what_is_told_as_one_word_is_read_as_one(text: str, expected: str) -> None:
    assert resolved(text) == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("3月5日出发去成都，玩了四天", ["3月5日"]),  # next year's is far, this year's is just past
        ("母亲节给妈妈买了花", ["母亲节"]),
        ("周三到周五都在外地", ["周三到周五"]),
        ("周二到周五都要加班", ["周二到周五"]),
        ("爸妈下个月18号来，住到月底走", ["下个月18号", "月底"]),
        ("今晚凌晨两点有球赛", ["今晚凌晨两点"]),
        ("今明两天降温", ["今明两天"]),
        ("四年前的2月还在封城", ["四年前的2月"]),
        ("We need it by the end of the quarter", ["the end of the quarter"]),
        ("我8号看房", ["8号"]),
        ("I'm free on Tuesday and Thursday", ["Tuesday and Thursday"]),
        ("国庆七天要回家", ["国庆七天"]),
        ("五一小长假要去露营", ["五一小长假"]),
        ("国庆放假七天我要回家", ["国庆放假七天"]),
        ("老滕九十年代在国营厂", ["九十年代"]),
        ("上世纪九十年代的歌", ["上世纪九十年代"]),
        ("上回周五聚餐的钱还没给你", ["上回周五"]),
        ("我2号签了合同，9号搬家", ["9号"]),
        ("我2号签的约9号搬", ["9号"]),
        ("25号我发工资请你吃饭", ["25号"]),
        ("一会儿八点有直播", ["八点"]),
        ("凌晨四点被楼上吵醒", ["凌晨四点"]),
        ("周内给你", ["周内"]),
        ("We had the party on the Saturday", ["Saturday"]),
        ("小安5.20领的证，我们8/15去复查", ["5.20", "8/15"]),
        ("下两周也很忙", ["下两周"]),
        ("下周三考试前两天我还在外地", ["下周三考试前两天"]),
        ("周六婚礼的前一晚别喝酒", ["周六婚礼的前一晚"]),
        ("周二请假去医院，周五就回来上班", ["周二", "周五"]),
        ("We're in Paris from the 3rd to the 10th", ["the 3rd to the 10th"]),
        ("It was moved from the 5th to the 12th", ["the 5th to the 12th"]),
        ("下午三点半接娃，别忘了", ["下午三点半"]),
        ("半夜三点还在改方案", ["半夜三点"]),
        ("中午十二点半的高铁", ["中午十二点半"]),
        ("孩子九月上小学", ["九月"]),
        ("My dad retires in the autumn", ["the autumn"]),
        ("We meet on the first Monday of the month", ["the first Monday of the month"]),
        ("我们10号领证", ["10号"]),
        ("我妈下周二来看我，住到周末", ["下周二", "周末"]),
        ("我妈12号做手术，18号出院", ["12号", "18号"]),
        ("三月三我们广西放假", ["三月三"]),
        ("快一个月前见的", ["快一个月前"]),
        ("三月前能交房吗", ["三月前"]),
        ("下个月初八去提亲", ["下个月初八"]),
        ("fortnight tomorrow we fly", ["fortnight tomorrow"]),
        ("下班前给我", ["下班前"]),
        ("转眼就四月了", ["四月"]),
        ("昨天这会儿还在加班", ["昨天这会儿"]),
        ("下周日28号补班", ["下周日28号"]),
        ("We lived there years ago", ["years ago"]),
        ("A few months down the line we moved", ["A few months down the line"]),
        ("We met him that Friday", ["that Friday"]),
        ("下个工作日到账", ["下个工作日"]),
        ("Two Christmases ago my dad proposed to Anne", ["Two Christmases ago"]),
        ("Two summers ago we adopted Rex", ["Two summers ago"]),
        ("Grandma turns ninety in the new year", ["in the new year"]),
        ("Over the summer she learnt to drive", ["the summer"]),
        ("Tuesday fortnight is the hearing", ["Tuesday fortnight"]),
        ("Yesterday week the boiler died", ["Yesterday week"]),
        ("Between Monday and Wednesday I'm unreachable", ["Monday and Wednesday"]),
        ("Got him a grill for Thanksgiving", ["Thanksgiving"]),
        ("Monday just gone I fell", ["Monday just gone"]),
        ("Monday next I fly", ["Monday next"]),
        ("The 20th and 21st are free", ["The 20th and 21st"]),
        ("In the next day or two", ["the next day or two"]),
        ("下午三点二十会议室B", ["下午三点二十"]),
        ("会议室见，九点半", ["九点半"]),
        ("下周前半周有空", ["下周前半周"]),
        ("早上出门晚上才回", ["早上", "晚上"]),
        ("周二周四有瑜伽课", ["周二周四"]),
        ("发薪日前三天", ["前三天"]),
        ("差五分八点在楼下等", ["差五分八点"]),
        ("我16号夜班", ["16号"]),
        ("那就三十号", ["三十号"]),
        ("Q2的指标又涨了", ["Q2"]),
        ("这个月倒数第二天发工资", ["这个月倒数第二天"]),
        ("端午三天都在加班", ["端午三天"]),
        ("双十连假要去垦丁", ["双十连假"]),
        ("端午后的周一补班", ["端午后的周一"]),
        ("搬家前一周才通知", ["前一周"]),
        ("出发前两天还在改稿", ["前两天"]),
        ("大外后天才回", ["大外后天"]),
        ("再下周才有空", ["再下周"]),
        ("我生日是农历八月初八，到时候请你们", ["农历八月初八"]),
        ("上两周都在加班", ["上两周"]),
        ("节后再说", ["节后"]),
        ("开春就装修", ["开春"]),
        ("只有晚上十一点到一点能聊", ["晚上十一点到一点"]),
        ("三十晚上值的班", ["三十晚上"]),
        ("夏天要去海边", ["夏天"]),
        ("10.1回老家", ["10.1"]),
        ("Lunch at noon?", ["noon"]),
        ("Wake me up at 6", ["6"]),
        ("Office closed Dec 23 - Jan 2", ["Dec 23 - Jan 2"]),
        ("Is Cancun on for spring break?", ["for spring break"]),
        ("Next semester I take chemistry", ["Next semester"]),
        ("We left two days after the move", ["two days after the move"]),
        ("I'll call an hour after I land", ["an hour after I land"]),
        ("The weekend before the wedding we meet", ["The weekend before the wedding"]),
        ("Next week but one we fly", ["Next week but one"]),
        ("Mon, Wed and Fri I train", ["Mon, Wed and Fri"]),
        ("The Friday meeting is off", ["Friday"]),
        ("It opened in March last year and closed in June", ["June"]),
        ("Term starts December 1; Alf is back the evening before", ["the evening before"]),
        ("Mon/Tue next week I'm off", ["Mon/Tue next week"]),
        ("昨晚十一二点才睡", ["昨晚十一二点"]),
        ("小王周四有补习班", ["周四"]),
        ("下个月三四号到货", ["下个月三四号"]),
        ("今年十一结婚", ["今年十一"]),
        ("明天七八点出门", ["明天七八点"]),
        ("I moved over a year ago", ["over a year ago"]),
        ("He proposed on the last night of our trip", ["the last night of our trip"]),
        ("Q2 numbers are in", ["Q2"]),
        ("Back on 6/1", ["6/1"]),
        ("Been raining all week", ["all week"]),
        ("Does the 23rd work for you?", ["the 23rd"]),
        ("Thanksgiving dinner at ours", ["Thanksgiving"]),
        ("Give it a day or two and Marge will ring back", ["a day or two"]),
        ("周四八点打球，场地老歪订的", ["周四八点"]),
        ("场子是周五 不是周四，我看错了", ["周五", "周四"]),
        ("Ann's Monday class is full", ["Monday"]),
        ("Maybe for the gig on the 23rd, she promised to babysit", ["the 23rd"]),
    ],
)
def test_what_the_sentence_does_not_decide_stays_and_is_reported(text: str, words: list[str]) -> None:
    assert reported(text) == words


@pytest.mark.parametrize(
    "text",
    [
        "术后一周拆线", "每到月底就没钱", "逢周三会员日", "赶明儿我给你送去",
        "我在六月咖啡馆等你", "十月稻田的米好吃", "一月一次的例会", "工作日晚上去健身", "十一二点才睡是常态",
        "周一到周五都要上班", "三月花园的饭很好吃", "三月笋很嫩", "我最喜欢十月", "老周五十了", "比分3-2领先", "体温38.5要吃药",
        "小周六岁", "端午粽子你吃甜的咸的", "Have you watched Wednesday?",
        "冰箱里有一袋元宵", "李国庆来过了", "看了清明上河图", "明日黄花罢了", "八点档看完了",
        "体重四点六了", "我有两点要说", "他睡了一下午", "2号泵换了", "公司九点上班", "还没过几天",
        "I wasn't born yesterday", "Party like there's no tomorrow",
        "I lent her a veil", "the advent of cheap phones", "300 CNY it cost", "Freaky Friday was great",
        "just finished Wednesday on netflix",
        "Monday blues again", "I haven't eaten in two days", "November Rain is too long",
        "Yoga on Tuesday and Thursday nights", "The course is mon/wed mornings", "那个周六我在",
        "I had an epiphany", "I love October",
        "Monday mornings are the worst", "It's now or never", "Christmas is her favourite holiday", "She loves Halloween",
    ],
)  # fmt: skip
def test_what_only_looks_like_a_time_is_left_alone(text: str) -> None:
    assert resolved(text) == text
    assert not reported(text)


@pytest.mark.parametrize(
    ("text", "zone", "day"),
    [
        ("We're visiting mum for Mother's Day, I'll drive", "Europe/London", "2026-03-15"),
        ("We're visiting mum for Mother's Day, I'll drive", "America/New_York", "2026-05-10"),
        ("We will cook for Thanksgiving", "America/Toronto", "2026-10-12"),
        ("The late May bank holiday will be our fete", "Europe/London", "2026-05-25"),
        ("谷雨那天要去茶山", "Asia/Shanghai", "2026-04-20"),
        ("双十节要去看阅兵", "Asia/Taipei", "2026-10-10"),
        ("国庆要去看阅兵", "Asia/Taipei", "2026-10-10"),
        ("Labour Day will be quiet", "America/Toronto", "2026-09-07"),
        ("我大年初三才回得了娘家", "Asia/Shanghai", "2026-02-19"),
    ],
)
def test_a_feast_is_that_of_the_place(text: str, zone: str, day: str) -> None:
    at = datetime.fromisoformat("2026-02-03T12:00:00+00:00")
    assert [one.value for one in find_time_expressions(text, at, zone)] == [day]


def test_a_name_whose_other_day_is_much_nearer_is_not_believed() -> None:
    june = datetime.fromisoformat("2026-06-29T09:09:00+08:00")
    assert resolve_times("三季度的预算砍了一半", june, "Asia/Shanghai")[0] == "三季度的预算砍了一半"
    assert resolve_times("二季度的预算砍了一半", june, "Asia/Shanghai")[0] == "2026年第2季度的预算砍了一半"


def test_summer_is_in_december_in_the_south() -> None:
    march = datetime.fromisoformat("2026-03-18T12:00:00+11:00")
    for zone, first, last in (("Australia/Sydney", "2025-12-01", "2026-02-28"), ("Europe/Rome", "2025-06-01", "2025-08-31")):
        found = find_time_expressions("Marco proposed last summer", march, zone)[0]
        assert (found.value, found.until) == (first, last)
