# ruff: noqa: E501
"""Twelve files as people have them, in both languages, of which it is known which passage answers what.

Each is a table of headings (or questions, names, subjects) and the text under them; a maker writes it as a file.  The
texts mention each other's topics, as real ones do.  They were written for these tests.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping

from making import docx, pdf, xlsx

Sections = Mapping[str, str]

BIKES = {
    "Opening hours": "The workshop is open from ten to six, on Saturdays until two. Outside these hours, put the key into the letter box.",
    "Booking a service": "Book a basic or a full service at the counter or by telephone. Without a booking you wait about a week.",
    "Basic service": "Brakes, gears and tyres are checked and adjusted. It takes an hour and costs 45 euros. Repair of a puncture is not included.",
    "Full service": "Everything in the basic service, and the hubs, the bottom bracket and the headset are opened, cleaned and greased. Allow two days.",
    "Puncture repair": "A new tube and the labour cost 18 euros; you can wait for it. Tubeless tyres are sealed with a plug.",
    "Loan bikes": "While yours is here you can borrow one of six loan bikes. A deposit of 50 euros is paid when it is given out and comes back with it.",
    "Returning a bike": "Bring it back clean, with its lock and both keys, before closing time. A late day costs 12 euros.",
    "Electric bikes": "We update the firmware of the motor and read its fault memory. Error E-70 means that the sensor at the wheel has moved.",
    "Storing the battery": "Keep it at 15 degrees and half full. In the cold it cannot be charged, and below zero charging damages the cells.",
    "Recycling batteries": "Batteries go back to the maker; hand them in at the counter and the fee is ours. Never throw them into the bin.",
    "Stationery and post": "Labels, envelopes and tape are in the cupboard beside the counter and may be used for parcels of parts.",
    "Warranty": "For two years on parts and six months on labour. Damage by falls and wear of chains and brake pads are excluded.",
    "Subscriptions and memberships": "For 9 euros a month a member has two basic services a year and ten per cent off parts. It ends with a month's notice.",
    "Complaints": "Write to the head of the workshop within four weeks. She answers within five days and may have the work done again.",
}
LEASE = {
    "Term": "The lease begins on 1 March and runs for five years. It is extended by one year unless a party gives notice.",
    "Rent": "The rent is 2,400 a month, due on the third working day. Rent that is late bears interest of five per cent.",
    "Deposit": "The tenant pays a deposit of three months. It is returned, with interest, within sixty days of the end of the term.",
    "Repairs": "The tenant bears small repairs of up to 150 each. All others are the duty of the landlord, who must begin within ten days.",
    "Subletting": "The tenant may let rooms to others only with consent in writing. Consent is refused only for an important reason.",
    "Entry": "The landlord may enter after notice of 48 hours. In danger of fire or water no notice is needed.",
    "Notice": "Either party may end the lease with notice of six months to the end of a year. Notice must be in writing.",
    "Alterations": "Walls, doors and pipes may be altered only with consent. At the end the former state is restored.",
    "Insurance": "The tenant insures goods against fire, water and theft. The building is insured by the landlord.",
    "Disputes": "Disputes go first to a mediator whom both name. The courts of the place of the building are competent.",
    "Keys": "Five keys are handed over and counted. For a lost key the lock is changed at the cost of the tenant.",
}
PRICES = {
    "Kettle K-12": "Steel, 1.2 litres, switches itself off.",
    "Kettle K-17": "Steel, 1.7 litres, switches itself off.",
    "Toaster T-4": "Four slots, defrosts, tray for crumbs.",
    "Blender B-900": "900 watts, glass jug, crushes ice.",
    "Hand mixer M-300": "300 watts, two whisks, two hooks for dough.",
    "Coffee mill C-5": "Conical burrs, forty settings, 250 grams.",
    "Rice cooker R-18": "1.8 litres, keeps warm for twelve hours.",
    "Scale S-5": "Up to 5 kilograms, to one gram.",
    "Ice maker I-2": "Twelve cubes in nine minutes.",
    "Heater H-20": "2,000 watts, thermostat, switches off if it falls over.",
    "Fan F-16": "40 centimetres, three speeds, turns by ninety degrees.",
    "Air cleaner A-40": "For 40 square metres, filter for pollen.",
}
PEOPLE = {
    "Ada Brandt": "Laboratory, calibrates balances and thermometers; extension 4417.",
    "Ben Okafor": "Purchasing, orders of more than 5,000; extension 4420.",
    "Clara Lindqvist": "Human resources, leave and sickness; extension 4433.",
    "David Moreau": "Information technology, laptops and access; extension 4400.",
    "Emi Tanaka": "Safety officer, fire and first aid; extension 4350.",
    "Farid Haddad": "Workshop, lathes and welding; extension 4471.",
    "Greta Novak": "Reception, visitors and parcels; extension 4300.",
    "Hugo Silva": "Data protection, requests and deletion; extension 4361.",
    "Iris Walsh": "Finance, expenses and travel; extension 4382.",
    "Jan Kowalski": "Facilities, heating, lifts and keys; extension 4305.",
    "Kofi Mensah": "Sales, offers for the north; extension 4510.",
    "Lea Fischer": "Sales, offers for the south; extension 4511.",
}
LIBRARY = {
    "How do I get a card?": "Come to the desk with a proof of address. Children need the signature of a parent.",
    "How long can I keep a book?": "Four weeks, and twice longer if nobody waits for it. Films go back after one week.",
    "What if I lose something?": "Pay what a new copy costs, or bring one. The fine stops on the day you tell us.",
    "Can I eat in the reading room?": "Water in a bottle that closes is fine. Everything else belongs in the café downstairs.",
    "Where can I print?": "Beside the lift on each floor, from any telephone. A page costs ten cents, in colour thirty.",
    "Do you lend instruments?": "Guitars, keyboards and a violin for children, for three months each. Strings are yours to replace.",
    "Who helps with family trees?": "The archivist, on Tuesdays. Bring what you know: names, parishes and years.",
    "Why was my reservation cancelled?": "It waits seven days on the shelf. After that the next reader has it.",
    "Is there a room for groups?": "Three, for up to eight people. Book them online for at most two hours.",
    "How do I return things at night?": "Through the flap at the back door. It is emptied at seven.",
    "May my dog come along?": "Only if it guides you. Others can wait at the rings beside the entrance.",
}
MINUTES = {
    "Budget": "The council keeps the budget of last year. Anna asks for 4,000 more for the roof; this is decided in May.",
    "Roof": "Two offers for the roof are in. The cheaper one leaves out the gutter, so Boris asks for a new one.",
    "Summer fête": "The fête is on 14 June on the meadow. The choir sings at four, and the bar closes at eleven.",
    "Parking": "Cars on the lawn are the most frequent complaint. A chain is put across the entrance for a trial of three months.",
    "Newsletter": "It appears every second month. Articles go to Carla by the fifteenth.",
    "Playground": "The swing was closed after the inspection. New ropes arrive next week and the inspector returns on the 20th.",
    "Heating": "The boiler was serviced. Daniel reads the meters, and reports a use that is nine per cent lower.",
    "Volunteers": "Six people were thanked with a dinner. More are needed for the bar at the fête and for mowing.",
    "Website": "The calendar is wrong since the move to the new server. Eva repairs it before the next meeting.",
    "Next meeting": "On 8 May at half past seven in the hall. Requests go to the chair a week before.",
    "Library corner": "Shelves were given by a closed school. Frieda sorts the books at the weekend.",
}
ROUTER = {
    "产品规格": "四个千兆网口，一个 USB 3.0 接口，支持 Wi-Fi 6。电源 12 伏，待机功耗 4 瓦。",
    "开箱与安装": "取出主机、电源和网线，把光猫的网线插进蓝色网口。指示灯变绿后，用手机连接底部标签上的无线名称。",
    "指示灯含义": "绿色常亮表示联网正常，橙色闪烁表示正在升级，红色表示没有接到光猫。",
    "忘记管理密码": "用卡针按住背面的小孔十秒，全部设置恢复出厂值，之后重新设定密码。",
    "访客网络": "访客网络与家里的设备隔离，可以设定到期时间。访客看不到打印机和硬盘。",
    "家长控制": "给孩子的设备规定上网时段，也能屏蔽网站。改动后十分钟内生效。",
    "固件升级": "在管理页点“检查更新”，升级约五分钟，其间不要断电。",
    "信号不好怎么办": "把主机放高、离开微波炉；户型大可以再加一台组网。",
    "外接硬盘": "接上移动硬盘，电视和手机都能播放里面的影片。格式支持 exFAT 和 NTFS。",
    "保修与返修": "主机保修三年，电源一年。返修前请备份设置，运费由我们承担。",
    "错误代码": "E-1043 表示拨号密码不对，E-1050 表示宽带欠费，请联系运营商。",
    "五、常见问题": "更换运营商后不能上网，多半是拨号账号没有改。",
}
PURCHASING = {
    "第一章 总则": "为规范采购，降低成本，制定本办法。各部门和子公司都要遵守。",
    "第二章 职责分工": "采购部负责询价、比价和签约，使用部门提出需求并参加验收，财务部负责付款。",
    "第三章 采购方式": "五万元以上公开招标，一万到五万元询价比较，一万元以下可以直接购买。",
    "第四章 验收与付款": "货到三个工作日内验收，验收单由两人签字。发票齐全后三十天内付款。",
    "第五章 供应商管理": "供应商每年考核一次，低于六十分的移出名录，两年内不再合作。",
    "第六章 合同管理": "合同由法务审核，原件存档十年。变更要签补充协议。",
    "第七章 紧急采购": "抢修和救灾可以先买后补手续，五天内补齐审批单。",
    "第八章 廉洁要求": "不得收受礼品和回扣。亲属供货的，经办人必须回避。",
    "第九章 监督检查": "审计部每半年抽查一次，问题在十五天内整改。",
    "第十章 固定资产": "单价两千元以上的设备登记入账，贴标签，领用人签字。",
    "第十一章 附则": "本办法自发布之日起施行，由采购部解释。",
}
SERVICE = {
    "忘记登录密码怎么办": "在登录页点“找回”，用手机号收验证码，重新设置即可。",
    "支持七天无理由退货吗": "支持。商品和包装完好，签收后七天内申请，内衣和食品除外。",
    "发票怎么开": "下单时勾选电子发票，发货后一天内发到邮箱。",
    "多久能收到货": "江浙沪次日送达，其他省份三到五天，边远地区一周。",
    "运费谁出": "质量问题我们出，不喜欢由买家出，每单十二元。",
    "可以改收货地址吗": "发货前在订单里修改；已发货的请联系快递员转寄。",
    "积分有什么用": "一百分抵一元，每年年底清零。",
    "怎么联系人工客服": "早九点到晚九点，在对话框里输入“人工”。",
    "会员如何升级": "一年消费满两千元升银卡，满八千元升金卡。",
    "优惠券为什么用不了": "看清有效期和满减金额，特价商品不能叠加。",
    "能不能货到付款": "目前不行，可以用微信、支付宝和银行卡。",
    "账号怎样注销": "在“设置”里提交，十五天后删除全部资料。",
}
TEAS = {
    "西湖龙井一级": "明前采摘，扁平挺直，豆香，每斤装。",
    "西湖龙井二级": "雨前采摘，扁平，豆香稍淡，每斤装。",
    "安溪铁观音": "清香型，七泡有余香，独立小袋。",
    "武夷大红袍": "炭焙，岩骨花香，适合久存。",
    "云南普洱熟饼": "三百五十七克一饼，存放五年，汤色红浓。",
    "福鼎白牡丹": "一芽两叶，毫香，三年陈。",
    "茉莉花茶": "窨制七次，绿茶为底，花香浓。",
    "祁门红茶": "条索紧细，蜜糖香，可加牛奶。",
    "六安瓜片": "不带芽梗，炒制，清香。",
    "青瓷盖碗": "容量一百五十毫升，三件一套。",
    "紫砂壶": "宜兴紫泥，二百毫升，附证书。",
    "竹茶盘": "抽屉式，长四十厘米，接水。",
}
MEETING = {
    "1.1 上周进展": "接口联调完成，登录页改版上线，崩溃率降到千分之二。",
    "1.2 招聘": "后端还缺两人，李敏本周面试五位候选人。",
    "1.3 预算": "服务器费用超支一成，王强去谈年度折扣。",
    "2.1 发布时间": "新版本定在九月二十日发布，十五日冻结代码。",
    "2.2 客户反馈": "三家客户要求导出报表，排进下个版本。",
    "2.3 安全": "扫描发现两个高危漏洞，周五前修复。",
    "3.1 团建": "下月去千岛湖，两天一夜，费用公司出。",
    "3.2 办公室搬迁": "十月搬到三楼，工位图由行政发出。",
    "3.3 值班": "国庆每天两人值班，三倍工资或者调休。",
    "3.4 培训": "周三下午讲检索评测，新人必须参加。",
    "4 下次会议": "下周一上午十点，三号会议室。",
}


def markdown(title: str, sections: Sections) -> bytes:
    return "\n\n".join([f"# {title}", *(f"## {head}\n\n{text}" for head, text in sections.items())]).encode()


def word(title: str, sections: Sections) -> bytes:
    parts = (part for head, text in sections.items() for part in (f"## {head}", text))
    return docx(f"# {title}", *parts, title=title)


def table(names: tuple[str, str], sections: Sections) -> list[list[object]]:
    return [[*names, "no"], *([head, text, 100 + 7 * i] for i, (head, text) in enumerate(sections.items()))]


def sheet(names: tuple[str, str], sections: Sections) -> bytes:
    return xlsx({"1": table(names, sections)})


def separated(names: tuple[str, str], sections: Sections) -> bytes:
    written = io.StringIO()
    csv.writer(written).writerows(table(names, sections))
    return written.getvalue().encode()


def contract(sections: Sections) -> bytes:
    broken = {head: text.replace(". ", ".\n") for head, text in sections.items()}
    lines = [f"## Article {i}: {head}\n{text}" for i, (head, text) in enumerate(broken.items(), 1)]
    return pdf(*("\n".join(lines[i : i + 4]) for i in range(0, len(lines), 4)), title="Lease of a workshop")


FILES: dict[str, tuple[Sections, Callable[[], bytes]]] = {
    "bikes.md": (BIKES, lambda: markdown("Kettenblatt workshop manual", BIKES)),
    "lease.pdf": (LEASE, lambda: contract(LEASE)),
    "prices.csv": (PRICES, lambda: separated(("title", "description"), PRICES)),
    "people.xlsx": (PEOPLE, lambda: sheet(("name", "duties"), PEOPLE)),
    "library.md": (LIBRARY, lambda: markdown("The library", LIBRARY)),
    "council.docx": (MINUTES, lambda: word("Minutes of the village council", MINUTES)),
    "路由器.md": (ROUTER, lambda: markdown("云岭路由器用户手册", ROUTER)),
    "采购.docx": (PURCHASING, lambda: word("云岭科技有限公司采购管理办法", PURCHASING)),
    "客服.xlsx": (SERVICE, lambda: sheet(("问题", "答案"), SERVICE)),
    "茶叶.csv": (TEAS, lambda: separated(("品名", "说明"), TEAS)),
    "例会.docx": (MEETING, lambda: word("产品例会纪要", MEETING)),
    "book-desk.xlsx": (LIBRARY, lambda: sheet(("question", "answer"), LIBRARY)),
}
"""What each file says, and what makes it."""
