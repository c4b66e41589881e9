from pathlib import Path

import pytest
from historian.nodes.historian.merge_profile import concerns
from historian.prompts.merging import without_inventions
from historian.schema.names import Names
from historian.schema.profile import ProfileKey
from historian.service.intake import make_job
from historian.text.job_drafts import names_of
from historian.text.job_verdicts import by_rules
from support.memory import group_fields, settings_for

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


@pytest.mark.parametrize(
    ("fact", "user", "group"),
    [
        ("阿明喜欢茶", True, False),
        ("读书会每周日碰头", False, True),
        ("小王喜欢茶", False, False),
        ("阿明建了读书会", True, True),
    ],
)
def test_a_profile_is_touched_only_by_facts_that_name_its_entity(fact: str, user: bool, group: bool) -> None:
    job = make_job(group_fields(new_info=[fact]), settings_for(Path("/nowhere")), lambda: 0.0)
    items = by_rules(job, settings_for(Path("/nowhere")))
    names = names_of(job, settings_for(Path("/nowhere")))
    assert concerns(items, ProfileKey("user", "42"), names, "zh") is user
    assert concerns(items, ProfileKey("group", "100"), names, "zh") is group
