from historian.nodes.merge_profile import without_inventions
from historian.schema.names import Names

NAMES = Names(bot_name="小史", user_name="阿明", user_id="42")


def test_a_line_with_a_made_up_number_date_or_title_is_left_out() -> None:
    given = "- 阿明养了两只猫\n阿明2026-02-19搬到了杭州\n阿明喜欢《三体》"
    true = ["- 阿明养了2只猫", "- 阿明2026-02-19搬到杭州", "- 阿明喜欢《三体》"]
    made_up = ["- 阿明26岁", "- 阿明2019年毕业", "- 阿明喜欢《三体》和《流浪地球》"]
    summary = "\n".join(line for pair in zip(true, made_up, strict=True) for line in pair)
    assert without_inventions(summary, given, NAMES).splitlines() == true


def test_headings_and_plain_lines_stay() -> None:
    summary = "## Likes\n- Ann likes tea\n- Ann has 2 cats"
    assert without_inventions(summary, "Ann likes tea\nAnn has two cats", Names(user_name="Ann")) == summary
