# ruff: noqa: E501
"""Eight sets of documents as people have them: a novel's chapters, a price list, a FAQ, minutes, a manual, a paper,
mails, a workbook.  The texts were written for these tests; each set is one file.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable

from making import docx, pdf, xlsx


def novel() -> bytes:
    """Seven chapters of a novel, as plain text."""
    chapters = {
        "The harbour": "The ferry left Varsund at seven, and Ines counted the gulls on the customs shed until the last "
        "rope was in. Nobody had told her that the island kept its own time, an hour behind the mainland and proud of "
        "it.\n\nThe purser wore two watches.",
        "The keeper": "Old Tobiasson had tended the lamp since the year of the herring. He spoke to it in the evenings, "
        "and wrote down what it answered in a ledger bound in sealskin.",
        "The stairs": "那天夜里没有月亮。伊内斯提着马灯走上一百零九级石阶，听见塔顶的透镜在风里轻轻转动。守塔人说，灯熄过一次，就在她父亲失踪的那个冬天。",
        "The letter": "Inside the sealskin ledger lay a letter that had never been posted. It was addressed to her "
        "mother, and the stamp showed a king who had abdicated before Ines was born.",
        "The storm": "On the third day the barometer fell out of its frame. Waves climbed the slipway and took the "
        "smokehouse, two boats, and the bell that called children to school.",
        "The birds": "After the storm the puffins came back to a cliff that was no longer there. They circled for an "
        "hour and then settled on the roof of the chapel.",
        "The crossing": "Ines rowed home alone with the ledger under her coat. Behind her the lamp turned, eighteen "
        "seconds to the round, as it had always done.",
    }
    return "\n\n\n".join(
        f"Chapter {i}: {name}\n\n{text}" for i, (name, text) in enumerate(chapters.items(), 1)
    ).encode()


def price_list() -> bytes:
    """A shop's price list with Chinese and English rows, as CSV in GB18030, as a spreadsheet of the trade saves it."""
    rows = [
        ("SKU", "品名", "说明", "类别", "单价", "上架日期"),
        ("TP-101", "青瓷茶壶", "手工拉坯，容量 600 毫升，附竹编提梁，不可进洗碗机。", "茶具", 268, "2024-03-01"),
        ("TP-102", "紫砂小壶", "宜兴紫泥，容量 180 毫升，适合一至两人泡乌龙茶。", "茶具", 420, "2024-03-01"),
        ("CP-201", "白瓷盖碗", "三件一套，胎薄透光，烫手时请捏碗沿。", "茶具", 88, "2024-04-15"),
        (
            "BW-301",
            "Salad bowl, oak",
            "Turned from one piece of oak, oiled, 28 cm; wipe clean, never soak.",
            "木器",
            310,
            "2024-05-20",
        ),
        (
            "BW-302",
            "Bread board, beech",
            "Juice groove on one side, crumb slats on the other.",
            "木器",
            145,
            "2024-05-20",
        ),
        ("LN-401", "亚麻桌布", "140 × 220 厘米，机洗三十度，缩水率百分之三。", "布艺", 199, "2024-06-01"),
        (
            "LN-402",
            "Linen napkins",
            "Set of six, hemstitched, unbleached; softens with every wash.",
            "布艺",
            96,
            "2024-06-01",
        ),
        ("LN-403", "扎染围裙", "植物靛蓝染色，首次清洗会褪色，请单独手洗。", "布艺", 128, "2024-07-10"),
    ]
    out = io.StringIO()
    csv.writer(out).writerows(rows)
    return out.getvalue().encode("gb18030")


def faq() -> bytes:
    """Questions and answers of a lending library for tools, as Markdown."""
    pairs = {
        "How long may I keep a drill?": "Drills and sanders are lent for four days. You can extend once, unless somebody "
        "has reserved the tool.",
        "What happens if a saw blade breaks?": "Blades wear out and are on us. If the guard or the motor is damaged, tell "
        "the desk before you bring the saw back.",
        "Do I need a deposit for the tile cutter?": "Yes: 50 euros in cash, because of the diamond wheel. You get it back "
        "the same day.",
        "可以替邻居借梯子吗？": "可以，但登记在你的名下，摔坏了由你赔。三米以上的伸缩梯需要两个人来取。",
        "工具没电了怎么还？": "充电器请一起归还。电池没电不扣钱，电池少了一块要按四十元赔偿。",
        "周末几点开门？": "周六九点到十二点，周日不开。还工具可以投进侧门的铁箱，钥匙放信封里。",
    }
    parts = [f"## {question}\n\n{answer}" for question, answer in pairs.items()]
    return ("# Tool library 工具图书馆\n\n" + "\n\n".join(parts) + "\n").encode()


def minutes() -> bytes:
    """Minutes of the meetings of a cooperative, as a Word file with headings."""
    return docx(
        "# Meeting of 4 March",
        "## Attendance",
        "Present: Amara, Björn, 李文, Priya. Excused: Tomasz.",
        "## Roof",
        "The contractor found rot in three rafters over stairwell B. Replacing them costs 8,400 euros and takes nine "
        "days; Björn asks for a second offer.",
        "## Bicycle cellar",
        "Fourteen bicycles have had no owner since autumn. They are tagged now and given away on 30 April.",
        "# 四月八日会议",
        "## 屋顶",
        "第二份报价七千九百欧元，比第一份便宜，但要等到六月才能开工。表决：四票赞成，一票弃权，通过。",
        "## 洗衣房",
        "二号洗衣机甩干时漏水，李文联系了厂家，配件两周后到。期间请用一号和三号。",
        "# Meeting of 6 May",
        "## Heating",
        "The heat pump ran at 3.1 on average over the winter, below the promised 3.6. Priya reads the flow temperature "
        "weekly and reports in June.",
        "## Garden",
        "Amara plants two quince trees; the composter moves behind the shed because of the smell.",
        title="Minutes",
    )


def manual() -> bytes:
    """The manual of a soil sensor in two languages, as a web page."""
    parts = [
        (
            "Insert the probe",
            "Push the probe into moist soil up to the second ring; never use a hammer. Dry clay must be watered first.",
        ),
        ("插入探头", "把探头插进湿润的土里，到第二道环为止，切勿敲打。干硬的黏土请先浇水。"),
        (
            "Pairing",
            "Hold the button for five seconds until the light blinks blue, then choose “Garden-7” in your phone.",
        ),
        ("配对", "长按按钮五秒，指示灯闪蓝光后，在手机里选择“Garden-7”。"),
        ("Battery", "One CR2477 cell lasts about fourteen months. Below 10 % the light blinks red once an hour."),
        ("电池", "一节 CR2477 纽扣电池约可用十四个月。电量低于百分之十时，指示灯每小时闪一次红光。"),
        (
            "Winter",
            "Frost does not harm the probe, but readings below 2 °C are not trustworthy. Bring the head inside.",
        ),
        ("过冬", "探头不怕霜冻，但低于 2 ℃ 时读数不可信，请把表头拆下来带回室内。"),
    ]
    body = "".join(f"<h2>{name}</h2><p>{text}</p>" for name, text in parts)
    return f"<html><head><title>Soil sensor 土壤传感器</title></head><body>{body}</body></html>".encode()


def paper() -> bytes:
    """A short paper as a PDF of three pages."""
    return pdf(
        "1 Introduction\nUrban swifts nest in cavities of old facades, and insulation closes them.\n"
        "We ask whether nest boxes in a new facade replace what is lost.",
        "2 Methods\nWe counted entries at dawn on 41 buildings over three summers.\n"
        "Boxes faced north or east, at least five metres above ground.\nThermal loggers took a reading every ten minutes.",
        "3 Results\nOccupied boxes rose from 6 to 58 percent, and fledglings per pair did not differ.\n"
        "Boxes above a dark roof overheated on nine days and were left.\n4 Conclusion\nShade matters more than height.",
        title="Swifts in insulated facades",
    )


def mails() -> bytes:
    """The mail archive of a choir, as JSON."""
    told = [
        (
            "Amara",
            "2024-01-09",
            "Rehearsal room",
            "The school closes its hall for painting until February. We sing in the fire station, entrance by the hose tower.",
        ),
        ("李文", "2024-01-12", "谱子", "布鲁克纳的经文歌我印了二十份，女中音第三页有个升号印漏了，请自己补上。"),
        (
            "Tomasz",
            "2024-01-20",
            "Bass section",
            "Two basses are ill and one has moved to Gdansk. Does anybody know a baritone who likes to sing low?",
        ),
        (
            "Priya",
            "2024-02-02",
            "Concert dress",
            "Black is fine, but no trainers please. The folders are dark green and lie in my car.",
        ),
        ("李文", "2024-02-11", "演出时间", "四月六日晚七点半，五点四十集合开声，家属票每人限两张。"),
        (
            "Amara",
            "2024-02-15",
            "Piano",
            "The tuner found a cracked pin in the fire station's piano. We bring the electric one, and somebody must carry the stand.",
        ),
        (
            "Tomasz",
            "2024-03-03",
            "Programme notes",
            "Please send me three sentences about the Finnish lullaby, in either language, by Sunday.",
        ),
        (
            "Priya",
            "2024-04-07",
            "Thank you",
            "We took 612 euros at the door, which pays for the hall and half of the scores.",
        ),
    ]
    return json.dumps(
        [{"from": who, "date": day, "subject": subject, "body": body} for who, day, subject, body in told],
        ensure_ascii=False,
    ).encode()


def workbook() -> bytes:
    """The inventory of a museum of clocks: a sheet of objects and one of loans."""
    objects = [
        ["number", "name", "description", "room"],
        [
            "K-01",
            "Turret clock",
            "Wrought iron, one hand, from the town hall of Almvik; strikes the hours on a cracked bell.",
            "tower",
        ],
        ["K-02", "Regulator", "Mercury pendulum, loses a second in three weeks. 汞摆，三周误差一秒。", "hall"],
        ["K-03", "座钟", "广州制，铜鎏金，逢整点有小人出来敲锣，发条需每八天上一次。", "hall"],
        [
            "K-04",
            "Ship's chronometer",
            "In gimbals, two days' going, checked against the noon gun until 1931.",
            "tower",
        ],
        ["K-05", "水钟模型", "四级漏壶，按宋代图样一比五复制，供儿童演示。", "workshop"],
    ]
    loans = [
        ["title", "text", "room"],
        ["Loan to Lund", "The chronometer travels in a padded case and must not be wound on the way.", "tower"],
        ["借展：苏州", "座钟六月运抵苏州，保险金额三十万，由两名修复师随行。", "hall"],
        ["Returned", "The regulator came back with a scratch on the glass, noted by both sides.", "hall"],
    ]
    return xlsx({"Objects": objects, "Loans": loans})


SETS: dict[str, Callable[[], bytes]] = {
    "novel.txt": novel,
    "价目表.csv": price_list,
    "faq.md": faq,
    "minutes.docx": minutes,
    "manual.html": manual,
    "swifts.pdf": paper,
    "mails.json": mails,
    "clocks.xlsx": workbook,
}
"""What makes each file, by its name."""
