"""How people speak: states, what is left out, how many of what was made, orders, money, days to come, on plain tables."""

from __future__ import annotations

import datetime as dt

import pytest
from made_of import gives, made_of
from night import for_each

from lab.text2sql.database import Database
from lab.text2sql.dialogue import say

pytestmark = pytest.mark.nightly  # test_text2sql_everyday.py and others have such questions in the suite

GARAGE = """
CREATE TABLE customers(customer_id INTEGER PRIMARY KEY, full_name TEXT, suburb TEXT, email TEXT, sms_ok TEXT);
CREATE TABLE mechanics(mechanic_id INTEGER PRIMARY KEY, mechanic_name TEXT, hired_on TEXT, full_time TEXT);
CREATE TABLE cars(car_id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers(customer_id), plate TEXT, make TEXT,
  mileage_km INTEGER, insured TEXT);
CREATE TABLE jobs(job_id INTEGER PRIMARY KEY, car_id INTEGER REFERENCES cars(car_id),
  mechanic_id INTEGER REFERENCES mechanics(mechanic_id), job_date TEXT, task TEXT, price_usd REAL, paid TEXT, next_service TEXT);
INSERT INTO customers VALUES (1,'Omar Haddad','Fitzroy','omar@x.au','yes'),(2,'June Ellery','Carlton',NULL,'no'),
  (3,'Piet Smit','Fitzroy','piet@x.au','no'),(4,'Lena Voss','Brunswick','lena@x.au','yes');
INSERT INTO mechanics VALUES (1,'Gus Arden','2015-04-01','yes'),(2,'Mo Tran','2021-09-13','no'),(3,'Kit Dowd','2018-02-20','yes');
INSERT INTO cars VALUES (1,1,'ABC-10','Mazda',84000,'yes'),(2,1,'ZED-22','Skoda',12500,'no'),(3,2,'QRS-31','Mazda',143000,'yes'),
  (4,3,'LMN-47','Fiat',60100,'no');
INSERT INTO jobs VALUES (1,1,1,'2025-08-04','brakes',420,'yes','2025-10-02'),(2,1,2,'2025-08-30','tyres',310,'no','2026-02-01'),
  (3,2,1,'2025-09-06','brakes',380,'no',NULL),(4,3,3,'2024-11-12','clutch',990,'yes','2025-12-30'),
  (5,4,1,'2025-09-12','tyres',290,'no','2025-09-15'),(6,3,2,'2025-03-01','brakes',450,'yes',NULL);
"""
POTTERY = """
CREATE TABLE studios(studio_id INTEGER PRIMARY KEY, studio_name TEXT, town TEXT, opened_on TEXT, has_shop TEXT);
CREATE TABLE wares(ware_id INTEGER PRIMARY KEY, ware_name TEXT, kind TEXT, price_eur REAL, material_cost_eur REAL, dishwasher_safe TEXT);
CREATE TABLE firings(firing_id INTEGER PRIMARY KEY, studio_id INTEGER REFERENCES studios(studio_id),
  ware_id INTEGER REFERENCES wares(ware_id), firing_date TEXT, pieces_fired INTEGER, pieces_sold INTEGER, pieces_cracked INTEGER,
  kiln_temp_c INTEGER, potter TEXT);
INSERT INTO studios VALUES (1,'Millside','Leek','2012-05-01','yes'),(2,'Canal Row','Leek','2019-03-15','no'),(3,'Old Dairy','Stone','2021-07-09','yes');
INSERT INTO wares VALUES (1,'Tall mug','mug',14,3.5,'yes'),(2,'Salad bowl','bowl',32,9,'no'),(3,'Espresso cup','mug',11,2,'yes'),
  (4,'Fruit bowl','bowl',45,12,'no'),(5,'Platter','plate',45,13,'yes');
INSERT INTO firings VALUES (1,1,1,'2025-07-03',60,48,2,1240,'Nia'),(2,1,2,'2025-07-20',25,20,4,1220,'Nia'),
  (3,2,1,'2025-09-02',40,31,0,1240,'Bram'),(4,3,3,'2024-10-11',80,77,1,1180,'Sol'),(5,2,4,'2025-05-05',12,3,5,1260,'Bram'),
  (6,3,1,'2025-09-10',30,12,0,1240,NULL);
"""
STAGE = """
CREATE TABLE actors(actor_id INTEGER PRIMARY KEY, name TEXT, speciality TEXT, joined_on TEXT, home_city TEXT, dues_paid TEXT);
CREATE TABLE halls(hall_id INTEGER PRIMARY KEY, hall_name TEXT, city TEXT, capacity INTEGER, step_free TEXT);
CREATE TABLE performances(performance_id INTEGER PRIMARY KEY, title TEXT, playwright TEXT, performance_date TEXT,
  hall_id INTEGER REFERENCES halls(hall_id), lead_id INTEGER REFERENCES actors(actor_id));
CREATE TABLE bookings(booking_id INTEGER PRIMARY KEY, performance_id INTEGER REFERENCES performances(performance_id), booked_on TEXT,
  places INTEGER, amount_eur REAL, customer TEXT, cancelled TEXT);
INSERT INTO actors VALUES (1,'Ivo Lang','comedy','2018-01-10','Ghent','Y'),(2,'Rhea Moss','tragedy','2023-06-02','Bruges','N'),
  (3,'Tess Bell','comedy','2024-11-19','Ghent','N'),(4,'Abel Roy','tragedy','2016-03-03','Ypres','Y');
INSERT INTO halls VALUES (1,'Vooruit','Ghent',600,'Y'),(2,'Minard','Ghent',250,'N'),(3,'Concertzaal','Bruges',900,'Y');
INSERT INTO performances VALUES (1,'Hamlet','Shakespeare','2025-06-01',1,4),(2,'Tartuffe','Moliere','2025-08-15',2,1),
  (3,'Hamlet','Shakespeare','2025-10-05',3,4),(4,'The Miser','Moliere','2025-11-20',1,NULL),(5,'Medea','Euripides','2025-03-09',2,2);
INSERT INTO bookings VALUES (1,1,'2025-05-02',4,88,'Smits','N'),(2,1,'2025-05-20',2,44,'Okafor','Y'),(3,2,'2025-07-01',6,90,'Smits','N'),
  (4,3,'2025-09-01',1,25,'Berg','N'),(5,5,'2025-03-09',3,60,NULL,'Y'),(6,2,'2025-08-10',2,30,'Okafor','N');
"""
BILLS = """
CREATE TABLE invoices(invoice_no TEXT PRIMARY KEY, client TEXT, issued_on TEXT, due_date TEXT, amount_eur REAL, paid_on TEXT, disputed TEXT);
INSERT INTO invoices VALUES ('I1','Acme','2025-06-01','2025-07-01',500,'2025-06-20','no'),('I2','Borg','2025-07-10','2025-08-10',1200,NULL,'yes'),
  ('I3','Acme','2025-08-20','2025-09-20',300,NULL,'no'),('I4','Cyan','2025-09-01','2025-10-01',750,NULL,'no'),('I5','Borg','2024-12-01','2025-01-01',90,'2025-01-15','no');
"""
LENDING = """
CREATE TABLE readers(reader_id INTEGER PRIMARY KEY, reader_name TEXT, joined_on TEXT, junior TEXT);
CREATE TABLE books(book_id INTEGER PRIMARY KEY, title TEXT, author TEXT, pages INTEGER, year INTEGER);
CREATE TABLE loans(loan_id INTEGER PRIMARY KEY, reader_id INTEGER REFERENCES readers(reader_id), book_id INTEGER REFERENCES books(book_id),
  loan_date TEXT, due_date TEXT, returned_on TEXT, fine_gbp REAL);
INSERT INTO readers VALUES (1,'Dr Amy Sato','2020-01-01','no'),(2,'Ben Cole','2022-02-02','no'),(3,'Cleo Park','2024-03-03','yes'),(4,'Dov Ash','2025-01-09','yes');
INSERT INTO books VALUES (1,'Dune','Herbert',600,1965),(2,'Emma','Austen',480,1815),(3,'Ulysses','Joyce',730,1922),(4,'Persuasion','Austen',300,1817);
INSERT INTO loans VALUES (1,1,1,'2025-07-01','2025-07-22','2025-07-20',0),(2,2,2,'2025-08-20','2025-09-10',NULL,0),
  (3,1,3,'2025-09-01','2025-09-22',NULL,0),(4,3,1,'2025-05-01','2025-05-22','2025-06-10',2.5),(5,2,1,'2025-09-05','2025-12-01',NULL,0);
"""
PAY = """
CREATE TABLE payments("No." INTEGER, "Booked" DATE, "Shop" TEXT, "Amount (EUR)" REAL, "Fee (EUR)" REAL, "Card Holder" TEXT, "Memo" TEXT);
INSERT INTO payments VALUES (1,'2025-05-03','Lidl',50.5,0.5,'Ute','gift'),(2,'2025-06-09','Esso',300,2.25,'Kim',NULL),
  (3,'2025-07-01','Lidl',20,0,'Ute','snacks'),(4,'2025-05-20','Zoo',0,0,'Kim','voucher');
"""
CLUBS = """
CREATE TABLE clubs(club_id INTEGER PRIMARY KEY, club_name TEXT, city TEXT, founded INTEGER, monthly_fee_eur REAL, by_river TEXT,
  has_cafe TEXT, last_inspected DATE);
INSERT INTO clubs VALUES (1,'Chess','Lund',1920,0,'no','no','2025-02-01'),(2,'Rowing','Malmö',1950,35,'yes','yes','2024-05-05'),
  (3,'Judo','Malmö',1988,12,'no','no',NULL);
"""
FAIR = """
CREATE TABLE stalls(stall_no INTEGER PRIMARY KEY, stall_name TEXT, area_m2 REAL, "No. of tbls" INTEGER, roofed TEXT);
CREATE TABLE kids(kid_id INTEGER PRIMARY KEY, kid_name TEXT, sex TEXT, date_of_birth TEXT, height_cm INTEGER, waist_cm INTEGER);
CREATE TABLE gigs(gig_no INTEGER PRIMARY KEY, stall_no INTEGER REFERENCES stalls(stall_no), gig_date TEXT, spectators INTEGER,
  takings_eur REAL, tip_eur REAL, ended_because TEXT);
CREATE TABLE visits(visit_no INTEGER PRIMARY KEY, kid_id INTEGER REFERENCES kids(kid_id), visit_date TEXT, mood TEXT);
INSERT INTO stalls VALUES (1,'Candy Row',12,2,'yes'),(2,'Dart Alley',30,5,'no'),(3,'Mirror Tent',55,NULL,'yes');
INSERT INTO kids VALUES (1,'Ada Fox','F','2016-02-03',128,60),(2,'Ned Orr','M','2015-09-17',136,63),(3,'Ivy Hall','F','2018-11-11',109,55);
INSERT INTO gigs VALUES (1,2,'2025-09-06',90,410,12,NULL),(2,3,'2025-09-10',160,155,30,'rain'),(3,2,'2025-08-31',40,90,NULL,'dusk'),
  (4,1,'2025-09-12',75,120,8,NULL);
INSERT INTO visits VALUES (1,1,'2025-09-17','happy'),(2,3,'2025-09-16','tired'),(3,2,'2025-09-16','happy');
"""
LETTING = """
CREATE TABLE lettings("Ref." TEXT, "Quarter" TEXT, "Size (m2)" INTEGER, "No. of rms" REAL, "Flr" INTEGER, "Rent [EUR/mth]" REAL,
  "Dep. [EUR]" REAL, "Lift" TEXT, "Heating" TEXT, "Listed" TEXT, "Let until" TEXT);
INSERT INTO lettings VALUES ('A1','Mill End',40,2,3,700,1400,'yes','Vaillant 30','2025-01-10','2025-06-30'),
  ('A2','Mill End',70,3,1,950,1900,'no','Vaillant 35','2025-03-02','2025-02-20'),('A3','Docks',55,2,4,820,NULL,'yes','Bosch G4','2025-04-04','2025-12-31'),
  ('A4','Docks',90,4,5,1500,900,'yes','Bosch G5','2025-08-08','2026-01-31'),('A5','Mill End',30,1,2,650,1300,'no','Vaillant 30','2025-02-01',NULL);
"""
CUP = """
CREATE TABLE crews(crew_id INTEGER PRIMARY KEY, crew_name TEXT, captain TEXT);
CREATE TABLE races(race_no INTEGER PRIMARY KEY, red_crew_id INTEGER REFERENCES crews(crew_id), blue_crew_id INTEGER REFERENCES crews(crew_id),
  race_date TEXT, lake TEXT, red_points INTEGER, blue_points INTEGER, promised_on DATE, paid_on DATE, prize_eur REAL, fee_eur REAL);
INSERT INTO crews VALUES (1,'Otters','Kim'),(2,'Herons','Lou'),(3,'Pikes','Max');
INSERT INTO races VALUES (1,1,2,'2025-05-01','Como',5,3,'2025-06-01','2025-06-10',100,40),(2,1,3,'2025-05-08','Como',4,4,'2025-06-08','2025-06-08',300,10),
  (3,2,3,'2025-05-15','Iseo',2,6,'2025-06-15','2025-06-01',200,60),(4,3,1,'2025-05-22','Iseo',1,7,'2025-06-22',NULL,50,70);
"""
CAMERAS = """
CREATE TABLE cameras(camera_no TEXT PRIMARY KEY, camera TEXT, format TEXT, year_built INTEGER, bought_on TEXT, giver TEXT, worth_eur INTEGER);
CREATE TABLE lendings(lending_id INTEGER PRIMARY KEY, camera_no TEXT REFERENCES cameras(camera_no), borrower TEXT, lent_on TEXT, due_on TEXT,
  returned_on TEXT);
CREATE TABLE overhauls(overhaul_id INTEGER PRIMARY KEY, camera_no TEXT REFERENCES cameras(camera_no), technician TEXT, started_on TEXT,
  finished_on TEXT, cost_eur INTEGER);
INSERT INTO cameras VALUES ('C1','rangefinder','35mm',1954,'2001-05-06','Ada Holt',400),('C2','box camera','120',1931,'2019-03-03',NULL,60),
  ('C3','folding camera','120',1938,'1999-10-01','Ada Holt',90),('C4','rangefinder','35mm',NULL,'2020-02-02','Ben Orr',700),('C5','reflex','35mm',1972,'2015-07-07',NULL,150);
INSERT INTO lendings VALUES (1,'C1','Film Club','2025-01-02','2025-02-02','2025-02-10'),(2,'C3','City Hall','2025-03-01','2025-04-01','2025-03-20'),
  (3,'C1','City Hall','2025-08-01','2025-12-01',NULL),(4,'C2','Film Club','2025-06-01','2025-07-01',NULL);
INSERT INTO overhauls VALUES (1,'C1','Rolf','2024-02-01','2024-02-11',100),(2,'C1','Rolf','2024-09-01','2024-09-05',50),(3,'C2','Mara','2024-11-01','2024-12-01',80),
  (4,'C1','Mara','2025-09-01',NULL,NULL),(5,'C5','Rolf','2023-03-01','2023-03-03',20);
"""
DIVING = """
CREATE TABLE divers(diver_id INTEGER PRIMARY KEY, full_name TEXT, birth_date TEXT, joined_on TEXT, job TEXT, boat_licence TEXT);
CREATE TABLE boats(boat_id INTEGER PRIMARY KEY, boat_name TEXT, boat_type TEXT, year_built INTEGER, last_service TEXT);
CREATE TABLE dives(dive_id INTEGER PRIMARY KEY, dive_date TEXT, site TEXT, minutes INTEGER, boat_id INTEGER REFERENCES boats(boat_id),
  guide_id INTEGER REFERENCES divers(diver_id), aborted TEXT, rescued INTEGER);
CREATE TABLE participation(dive_id INTEGER REFERENCES dives(dive_id), diver_id INTEGER REFERENCES divers(diver_id), PRIMARY KEY(dive_id, diver_id));
INSERT INTO divers VALUES (1,'Ines Kay','1960-02-02','2010-01-01','nurse','yes'),(2,'Jon Pratt','1990-03-03','2015-05-05','cook','no'),
  (3,'Lia Moss','2000-04-04','2020-06-06','nurse','no'),(4,'Max Beer','1970-12-12','2021-07-07','pilot','yes');
INSERT INTO boats VALUES (1,'Gannet','dinghy',2001,'2025-02-01'),(2,'Heron','cutter',1988,'2023-05-01'),(3,'Puffin','dinghy',2015,NULL);
INSERT INTO dives VALUES (1,'2025-05-01','North Wreck',40,1,1,'no',0),(2,'2025-06-01','Blue Cave',55,1,1,'yes',2),(3,'2025-07-01','North Wreck',30,2,2,'no',1),
  (4,'2024-08-01','Blue Cave',50,1,4,'no',3);
INSERT INTO participation VALUES (1,2),(1,1),(2,2),(3,2),(3,3),(4,1);
"""
KIOSK = """
CREATE TABLE wares(ware_id INTEGER PRIMARY KEY, ware_name TEXT, kind TEXT, price_eur REAL);
CREATE TABLE buyers(buyer_id INTEGER PRIMARY KEY, name TEXT, buyer_type TEXT, phone TEXT);
CREATE TABLE orders(order_id INTEGER PRIMARY KEY, buyer_id INTEGER REFERENCES buyers(buyer_id), order_date TEXT, channel TEXT, paid TEXT);
CREATE TABLE order_items(item_id INTEGER PRIMARY KEY, order_id INTEGER REFERENCES orders(order_id), ware_id INTEGER REFERENCES wares(ware_id), quantity INTEGER);
INSERT INTO wares VALUES (1,'Lemonade','drink',2.5),(2,'Espresso','drink',2),(3,'Waffle','sweet',3),(4,'Fudge','sweet',1);
INSERT INTO buyers VALUES (1,'Rae Holm','club','0123 4'),(2,'Ty Webb','private',NULL),(3,'Una Kerr','club',NULL);
INSERT INTO orders VALUES (1,1,'2025-08-05','phone','yes'),(2,2,'2025-08-09','web','no'),(3,1,'2025-09-02','counter','yes'),(4,3,'2025-07-20','phone','yes');
INSERT INTO order_items VALUES (1,1,1,10),(2,1,3,4),(3,2,1,1),(4,2,2,2),(5,3,3,6),(6,4,1,5),(7,4,4,30),(8,3,2,1);
"""
TODAY = dt.date(2025, 9, 17)


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Database]:
    folder = tmp_path_factory.mktemp("spoken")
    scripts = {
        "garage": GARAGE,
        "pottery": POTTERY,
        "stage": STAGE,
        "bills": BILLS,
        "lending": LENDING,
        "pay": PAY,
        "clubs": CLUBS,
        "fair": FAIR,
        "letting": LETTING,
        "cup": CUP,
        "cameras": CAMERAS,
        "diving": DIVING,
        "kiosk": KIOSK,
    }
    return {name: made_of(script, folder, name) for name, script in scripts.items()}


@for_each(
    "where, question, gold",
    [
        ("garage", "unpaid jobs", "SELECT 2 UNION SELECT 3 UNION SELECT 5"),
        ("garage", "jobs that are not paid yet", "SELECT 2 UNION SELECT 3 UNION SELECT 5"),
        ("garage", "jobs that haven't been paid", "SELECT 2 UNION SELECT 3 UNION SELECT 5"),
        ("garage", "jobs nobody has paid for", "SELECT 2 UNION SELECT 3 UNION SELECT 5"),
        ("garage", "which jobs are still unpaid?", "SELECT 2 UNION SELECT 3 UNION SELECT 5"),
        ("garage", "outstanding jobs", "SELECT 2 UNION SELECT 3 UNION SELECT 5"),
        ("garage", "customers who still owe us money", "SELECT 'Omar Haddad' UNION SELECT 'Piet Smit'"),
        ("garage", "how much money is still outstanding?", "SELECT 980.0"),
        ("garage", "how much do customers owe us?", "SELECT 980.0"),
        ("garage", "how much does each customer owe?", "SELECT 'Omar Haddad', 690.0 UNION SELECT 'Piet Smit', 290.0"),
        ("garage", "how much does Piet Smit owe us?", "SELECT 290.0"),
        ("garage", "how much is unpaid in total?", "SELECT 980.0"),
        ("garage", "customers with unpaid jobs", "SELECT 'Omar Haddad' UNION SELECT 'Piet Smit'"),
        ("garage", "customers who haven't paid", "SELECT 'Omar Haddad' UNION SELECT 'Piet Smit'"),
        ("garage", "customers who didn't pay", "SELECT 'Omar Haddad' UNION SELECT 'Piet Smit'"),
        ("garage", "how many jobs have been paid?", "SELECT 3"),
        ("garage", "uninsured cars", "SELECT 'ZED-22' UNION SELECT 'LMN-47'"),
        ("garage", "cars without insurance", "SELECT 'ZED-22' UNION SELECT 'LMN-47'"),
        ("garage", "cars that have no insurance", "SELECT 'ZED-22' UNION SELECT 'LMN-47'"),
        ("garage", "cars that aren't insured", "SELECT 'ZED-22' UNION SELECT 'LMN-47'"),
        ("garage", "which cars have insurance?", "SELECT 'ABC-10' UNION SELECT 'QRS-31'"),
        ("garage", "full-time mechanics", "SELECT 'Gus Arden' UNION SELECT 'Kit Dowd'"),
        ("garage", "mechanics who work full time", "SELECT 'Gus Arden' UNION SELECT 'Kit Dowd'"),
        ("garage", "mechanics who don't work full time", "SELECT 'Mo Tran'"),
        ("garage", "which mechanics are not full time?", "SELECT 'Mo Tran'"),
        ("stage", "actors who haven't paid their dues", "SELECT 'Rhea Moss' UNION SELECT 'Tess Bell'"),
        ("stage", "actors who have paid their dues", "SELECT 'Ivo Lang' UNION SELECT 'Abel Roy'"),
        ("stage", "who hasn't paid their dues yet?", "SELECT 'Rhea Moss' UNION SELECT 'Tess Bell'"),
        (
            "stage",
            "actors from Ghent or Bruges who haven't paid their dues",
            "SELECT 'Rhea Moss' UNION SELECT 'Tess Bell'",
        ),
        ("stage", "actors whose dues are unpaid", "SELECT 'Rhea Moss' UNION SELECT 'Tess Bell'"),
        ("stage", "actors who owe dues", "SELECT 'Rhea Moss' UNION SELECT 'Tess Bell'"),
        ("stage", "actors who still have to pay their dues", "SELECT 'Rhea Moss' UNION SELECT 'Tess Bell'"),
        ("stage", "actors yet to pay their dues", "SELECT 'Rhea Moss' UNION SELECT 'Tess Bell'"),
        ("stage", "cancelled bookings", "SELECT 2 UNION SELECT 5"),
        ("stage", "bookings that were not cancelled", "SELECT 1 UNION SELECT 3 UNION SELECT 4 UNION SELECT 6"),
        ("stage", "how many cancellations have we had?", "SELECT 2"),
        ("stage", "how many bookings were canceled?", "SELECT 2"),
        ("stage", "how much money came in from bookings, not counting cancellations?", "SELECT 233.0"),
        ("stage", "money from bookings without the cancelled ones", "SELECT 233.0"),
        ("stage", "total amount of bookings, excluding cancelled ones", "SELECT 233.0"),
        ("stage", "total amount of bookings except cancelled ones", "SELECT 233.0"),
        ("stage", "total amount of bookings apart from the cancelled ones", "SELECT 233.0"),
        ("stage", "total amount of bookings ignoring the cancelled ones", "SELECT 233.0"),
        ("stage", "total amount of bookings that weren't cancelled", "SELECT 233.0"),
        (
            "stage",
            "bookings per month, not including cancellations",
            "SELECT '2025-05',1 UNION SELECT '2025-07',1 UNION SELECT '2025-09',1 UNION SELECT '2025-08',1",
        ),
        ("pottery", "studios with a shop", "SELECT 'Millside' UNION SELECT 'Old Dairy'"),
        ("pottery", "which studios have a shop?", "SELECT 'Millside' UNION SELECT 'Old Dairy'"),
        ("pottery", "studios that don't have a shop", "SELECT 'Canal Row'"),
        ("pottery", "studios without a shop", "SELECT 'Canal Row'"),
        ("pottery", "wares that are not dishwasher safe", "SELECT 'Salad bowl' UNION SELECT 'Fruit bowl'"),
        ("bills", "unpaid invoices", "SELECT 'I2' UNION SELECT 'I3' UNION SELECT 'I4'"),
        ("bills", "invoices that haven't been paid yet", "SELECT 'I2' UNION SELECT 'I3' UNION SELECT 'I4'"),
        ("bills", "outstanding invoices", "SELECT 'I2' UNION SELECT 'I3' UNION SELECT 'I4'"),
        ("bills", "how much does Borg owe us?", "SELECT 1200.0"),
        ("bills", "which clients owe us money?", "SELECT 'Borg' UNION SELECT 'Acme' UNION SELECT 'Cyan'"),
        (
            "bills",
            "how much does each client owe?",
            "SELECT 'Borg',1200.0 UNION SELECT 'Acme',300.0 UNION SELECT 'Cyan',750.0",
        ),
        ("bills", "how much is outstanding?", "SELECT 2250.0"),
        ("bills", "how much have clients paid?", "SELECT 590.0"),
        ("bills", "disputed invoices", "SELECT 'I2'"),
        ("lending", "books that haven't been returned", "SELECT 'Emma' UNION SELECT 'Ulysses' UNION SELECT 'Dune'"),
        ("lending", "loans not yet returned", "SELECT 2 UNION SELECT 3 UNION SELECT 5"),
        ("lending", "unreturned loans", "SELECT 2 UNION SELECT 3 UNION SELECT 5"),
        ("lending", "junior readers", "SELECT 'Cleo Park' UNION SELECT 'Dov Ash'"),
        ("garage", "customers who have never paid", "SELECT 'Piet Smit' UNION SELECT 'Lena Voss'"),
        (
            "bills",
            "how much is outstanding per client?",
            "SELECT 'Borg',1200.0 UNION SELECT 'Acme',300.0 UNION SELECT 'Cyan',750.0",
        ),
        ("lending", "readers who haven't returned a book", "SELECT 'Dr Amy Sato' UNION SELECT 'Ben Cole'"),
    ],
)
def test_a_state_is_said_by_its_verb_its_noun_and_its_opposite(
    opened: dict[str, Database], where: str, question: str, gold: str
) -> None:
    """Paid, unpaid, owing; refunds, insurance; what is left out; who has not paid has something to pay."""
    gives(opened[where], say(opened[where], question, as_of=TODAY), gold)


@for_each(
    "where, question",
    [
        ("garage", "did Omar Haddad pay for everything?"),
        ("garage", "how much did Omar Haddad pay per kilometre?"),
    ],
)
def test_a_state_is_said_by_its_verb_its_noun_and_its_opposite_is_not_guessed(
    opened: dict[str, Database], where: str, question: str
) -> None:
    assert say(opened[where], question, as_of=TODAY).result is None


@for_each(
    "where, question, gold",
    [
        ("pottery", "how many mugs did we fire in July this year?", "SELECT 60"),
        ("pottery", "how many pieces did we fire in July?", "SELECT 85"),
        ("pottery", "how many pieces were fired in 2025?", "SELECT 167"),
        ("pottery", "how many bowls were sold?", "SELECT 23"),
        ("pottery", "how many bowls have we sold so far?", "SELECT 23"),
        ("pottery", "how many mugs cracked in 2025?", "SELECT 2"),
        ("pottery", "how many pieces cracked?", "SELECT 12"),
        ("pottery", "how many pieces were sold in Leek?", "SELECT 102"),
        ("pottery", "how many tall mugs did Nia fire?", "SELECT 60"),
        (
            "pottery",
            "how many mugs has each studio fired?",
            "SELECT 'Millside',60 UNION SELECT 'Canal Row',40 UNION SELECT 'Old Dairy',110",
        ),
        (
            "pottery",
            "how many pieces did each potter sell?",
            "SELECT NULL,12 UNION SELECT 'Nia',68 UNION SELECT 'Bram',34 UNION SELECT 'Sol',77",
        ),
        ("pottery", "how many firings did Nia do?", "SELECT 2"),
        ("pottery", "how many firings were there in July?", "SELECT 2"),
        ("pottery", "how many mugs are dishwasher safe?", "SELECT 2"),
        (
            "pottery",
            "number of pieces sold per studio",
            "SELECT 'Millside',68 UNION SELECT 'Canal Row',34 UNION SELECT 'Old Dairy',89",
        ),
        ("stage", "how many places were booked?", "SELECT 18"),
        ("stage", "how many places were booked, leaving out cancelled bookings?", "SELECT 13"),
        ("stage", "how many places have been booked for Tartuffe?", "SELECT 8"),
        ("stage", "how many bookings were made in May?", "SELECT 2"),
        ("stage", "how many places did Smits book?", "SELECT 10"),
        ("stage", "which customer has booked the most places?", "SELECT 'Smits', 10"),
        ("stage", "which customer booked the most places altogether?", "SELECT 'Smits', 10"),
        ("stage", "who booked the most places?", "SELECT 'Smits', 10"),
        ("pottery", "how many different wares did the Leek studios fire in 2025?", "SELECT 3"),
        ("pottery", "how many different wares did Leek studios fire last year?", "SELECT 0"),
        ("pottery", "which wares were fired in Leek in July?", "SELECT 'Tall mug' UNION SELECT 'Salad bowl'"),
        ("pottery", "which wares were fired by Bram in May?", "SELECT 'Fruit bowl'"),
        ("lending", "which readers borrowed Dune in July?", "SELECT 'Dr Amy Sato'"),
        ("lending", "readers who borrowed a book by Austen in August", "SELECT 'Ben Cole'"),
        ("lending", "readers who borrowed a book by Herbert in August", "SELECT 'x' WHERE 0"),
        ("garage", "customers whose Mazda was repaired in March 2025", "SELECT 'June Ellery'"),
        ("garage", "cars that Gus Arden worked on in September", "SELECT 'ZED-22' UNION SELECT 'LMN-47'"),
    ],
)
def test_what_was_made_is_summed_up(opened: dict[str, Database], where: str, question: str, gold: str) -> None:
    """How many of something were made, sold or booked is the sum of what counts them, not a number of rows."""
    gives(opened[where], say(opened[where], question, as_of=TODAY), gold)


@for_each(
    "where, question",
    [
        ("stage", "which plays were performed in Ghent in June?"),
        ("pottery", "how many pieces were wasted?"),
        ("pottery", "how many teapots did we fire?"),
    ],
)
def test_what_was_made_is_summed_up_is_not_guessed(opened: dict[str, Database], where: str, question: str) -> None:
    assert say(opened[where], question, as_of=TODAY).result is None


@for_each(
    "where, question, gold",
    [
        ("pottery", "list the wares from cheapest to most expensive", "SELECT ware_name FROM wares ORDER BY price_eur"),
        ("pottery", "wares, cheapest to most expensive", "SELECT ware_name FROM wares ORDER BY price_eur"),
        (
            "pottery",
            "wares sorted from most expensive to cheapest",
            "SELECT ware_name FROM wares ORDER BY price_eur DESC",
        ),
        ("pottery", "wares, cheapest first", "SELECT ware_name FROM wares ORDER BY price_eur"),
        ("pottery", "show me the wares, dearest first", "SELECT ware_name FROM wares ORDER BY price_eur DESC"),
        ("pottery", "wares in order of price", "SELECT ware_name FROM wares ORDER BY price_eur"),
        ("pottery", "wares in alphabetical order", "SELECT ware_name FROM wares ORDER BY ware_name"),
        (
            "pottery",
            "all the potters in alphabetical order, each one once",
            "SELECT DISTINCT potter FROM firings WHERE potter IS NOT NULL ORDER BY potter",
        ),
        ("pottery", "potters in alphabetical order", "SELECT DISTINCT potter FROM firings WHERE potter IS NOT NULL"),
        (
            "pottery",
            "list the potters without duplicates",
            "SELECT DISTINCT potter FROM firings WHERE potter IS NOT NULL",
        ),
        ("pottery", "studios from oldest to newest", "SELECT studio_name FROM studios ORDER BY opened_on"),
        ("pottery", "studios, newest first", "SELECT studio_name FROM studios ORDER BY opened_on DESC"),
        (
            "garage",
            "mechanics by how long they have worked here, longest first",
            "SELECT mechanic_name FROM mechanics ORDER BY hired_on",
        ),
        ("garage", "which mechanic has worked here the longest?", "SELECT 'Gus Arden'"),
        ("garage", "who has been with us the longest?", "SELECT 'Gus Arden'"),
        ("garage", "the mechanic who has been here the shortest", "SELECT 'Mo Tran'"),
        ("garage", "cars from highest to lowest mileage", "SELECT plate FROM cars ORDER BY mileage_km DESC"),
        ("stage", "actors by date of joining, earliest first", "SELECT name FROM actors ORDER BY joined_on"),
        ("stage", "actors in order of joining", "SELECT name FROM actors ORDER BY joined_on"),
        ("stage", "halls from biggest to smallest", "SELECT hall_name FROM halls ORDER BY capacity DESC"),
        ("stage", "halls, smallest to largest", "SELECT hall_name FROM halls ORDER BY capacity"),
        ("stage", "what's the biggest hall in Ghent?", "SELECT 'Vooruit'"),
        ("stage", "the smallest hall", "SELECT 'Minard'"),
        ("stage", "which is the largest hall?", "SELECT 'Concertzaal'"),
        ("stage", "biggest halls first", "SELECT hall_name FROM halls ORDER BY capacity DESC"),
        ("stage", "playwrights, each only once", "SELECT DISTINCT playwright FROM performances"),
        ("stage", "playwrights we have performed, each listed once", "SELECT DISTINCT playwright FROM performances"),
        (
            "stage",
            "titles in alphabetical order without repeats",
            "SELECT DISTINCT title FROM performances ORDER BY title",
        ),
        ("lending", "books from longest to shortest", "SELECT title FROM books ORDER BY pages DESC"),
        ("lending", "books, longest first", "SELECT title FROM books ORDER BY pages DESC"),
        ("lending", "books from A to Z", "SELECT title FROM books ORDER BY title"),
        ("bills", "invoices from largest to smallest", "SELECT invoice_no FROM invoices ORDER BY amount_eur DESC"),
        (
            "bills",
            "unpaid invoices, oldest first",
            "SELECT invoice_no FROM invoices WHERE paid_on IS NULL ORDER BY issued_on",
        ),
        ("garage", "who has been here longest?", "SELECT 'Gus Arden'"),
    ],
)
def test_an_order_is_said_in_everyday_words(opened: dict[str, Database], where: str, question: str, gold: str) -> None:
    """From cheapest to dearest, longest first, alphabetical; each one once."""
    gives(opened[where], say(opened[where], question, as_of=TODAY), gold)


@for_each(
    "where, question",
    [
        ("garage", "customers who were born here"),
        ("garage", "customers from here"),
    ],
)
def test_an_order_is_said_in_everyday_words_is_not_guessed(
    opened: dict[str, Database], where: str, question: str
) -> None:
    assert say(opened[where], question, as_of=TODAY).result is None


@for_each(
    "where, question, gold",
    [
        (
            "garage",
            "which cars are due for a service between now and the end of the year?",
            "SELECT 'ABC-10' UNION SELECT 'QRS-31'",
        ),
        ("garage", "jobs whose next service is due this year", "SELECT 1 UNION SELECT 4 UNION SELECT 5"),
        ("garage", "jobs done between March and August this year", "SELECT 1 UNION SELECT 2 UNION SELECT 6"),
        ("garage", "jobs done on a Saturday", "SELECT 2 UNION SELECT 3 UNION SELECT 6"),
        ("garage", "how many of our jobs were on a Saturday?", "SELECT 3"),
        ("garage", "unpaid jobs from last month", "SELECT 2"),
        ("garage", "jobs from last month", "SELECT 1 UNION SELECT 2"),
        ("garage", "jobs from last year", "SELECT 4"),
        ("garage", "which mechanic has done the most jobs?", "SELECT 'Gus Arden', 3"),
        ("garage", "which mechanic has done the most jobs this year?", "SELECT 'Gus Arden', 3"),
        ("garage", "how many jobs has Gus Arden done so far?", "SELECT 3"),
        ("garage", "how many jobs have we done altogether?", "SELECT 6"),
        ("garage", "cars that have been here at least twice", "SELECT 'ABC-10' UNION SELECT 'QRS-31'"),
        ("garage", "have we ever done a clutch?", "SELECT 4"),
        ("garage", "customers who have never had a job done here", "SELECT 'Lena Voss'"),
        ("garage", "mechanics who haven't done a single job", "SELECT 'x' WHERE 0"),
        ("garage", "customers who don't have a single car", "SELECT 'Lena Voss'"),
        ("garage", "customers with no car at all", "SELECT 'Lena Voss'"),
        ("garage", "customers without any car on record", "SELECT 'Lena Voss'"),
        ("garage", "customers who have no cars", "SELECT 'Lena Voss'"),
        ("garage", "customers with just one car", "SELECT 'June Ellery' UNION SELECT 'Piet Smit'"),
        ("garage", "customers with only one car", "SELECT 'June Ellery' UNION SELECT 'Piet Smit'"),
        ("garage", "customers with a single car", "SELECT 'June Ellery' UNION SELECT 'Piet Smit'"),
        ("garage", "customers with more than one car", "SELECT 'Omar Haddad'"),
        ("garage", "customers with several cars", "SELECT 'Omar Haddad'"),
        ("garage", "customers with two or more cars", "SELECT 'Omar Haddad'"),
        ("garage", "who has the most cars?", "SELECT 'Omar Haddad'"),
        ("garage", "which customer owns the most cars?", "SELECT 'Omar Haddad'"),
        ("stage", "when is our next performance?", "SELECT '2025-10-05'"),
        ("stage", "what is the next performance?", "SELECT 3,'2025-10-05'"),
        ("stage", "when is the next Moliere performance?", "SELECT '2025-11-20'"),
        ("stage", "when was the last performance?", "SELECT '2025-08-15'"),
        ("stage", "when was our most recent performance?", "SELECT '2025-08-15'"),
        ("stage", "when was the first performance of Hamlet?", "SELECT '2025-06-01'"),
        ("stage", "upcoming performances", "SELECT 3 UNION SELECT 4"),
        ("stage", "future performances", "SELECT 3 UNION SELECT 4"),
        ("stage", "past performances", "SELECT 1 UNION SELECT 2 UNION SELECT 5"),
        ("stage", "performances still to come", "SELECT 3 UNION SELECT 4"),
        ("stage", "how many performances are coming up?", "SELECT 2"),
        ("stage", "performances that are yet to take place", "SELECT 3 UNION SELECT 4"),
        ("stage", "performances that have already taken place", "SELECT 1 UNION SELECT 2 UNION SELECT 5"),
        ("stage", "performances from now until the end of October", "SELECT 3"),
        ("stage", "performances in the rest of the year", "SELECT 3 UNION SELECT 4"),
        ("stage", "performances in the next three months", "SELECT 3 UNION SELECT 4"),
        ("stage", "how many performances have we had this year so far?", "SELECT 3"),
        ("stage", "which performances haven't sold any places yet?", "SELECT 4"),
        ("stage", "performances without a single booking", "SELECT 4"),
        ("stage", "performances nobody has booked", "SELECT 4"),
        ("bills", "invoices due this month", "SELECT 'I3'"),
        ("bills", "unpaid invoices due by the end of the month", "SELECT 'I2' UNION SELECT 'I3'"),
        ("bills", "invoices due in the next two weeks", "SELECT 'I3' UNION SELECT 'I4'"),
        ("bills", "overdue invoices", "SELECT 'I2'"),
        ("bills", "invoices that are overdue", "SELECT 'I2'"),
        ("bills", "invoices due between now and the end of the year", "SELECT 'I3' UNION SELECT 'I4'"),
        ("lending", "loans due back this month", "SELECT 2 UNION SELECT 3"),
        ("lending", "overdue loans", "SELECT 2"),
        (
            "lending",
            "books due back before the end of September",
            "SELECT 'Dune' UNION SELECT 'Emma' UNION SELECT 'Ulysses'",
        ),
        ("lending", "Dr Sato's loans", "SELECT 1 UNION SELECT 3"),
        ("lending", "what has Dr. Sato borrowed?", "SELECT 1 UNION SELECT 3"),
        ("lending", "loans of Mrs Cole", "SELECT 2 UNION SELECT 5"),
    ],
)
def test_days_to_come_and_words_without_weight(
    opened: dict[str, Database], where: str, question: str, gold: str
) -> None:
    """Due, next, between now and the end of the year; here, so far, altogether, done."""
    gives(opened[where], say(opened[where], question, as_of=TODAY), gold)


@for_each(
    "where, question, gold",
    [
        ("garage", "what does a tyres job cost on average?", "SELECT 300.0"),
        ("garage", "how much do brakes jobs cost on average?", "SELECT 416.666667"),
        ("garage", "on average, how much does a job cost?", "SELECT 473.333333"),
        ("garage", "average cost of a brakes job", "SELECT 416.666667"),
        ("garage", "jobs that cost more than 400", "SELECT 1 UNION SELECT 4 UNION SELECT 6"),
        ("garage", "jobs costing less than 300 dollars", "SELECT 5"),
        ("garage", "how much did the clutch job cost?", "SELECT 990"),
        ("garage", "how much have we billed so far?", "SELECT 2840"),
        (
            "garage",
            "how much have we billed for each task?",
            "SELECT 'brakes',1250.0 UNION SELECT 'tyres',600.0 UNION SELECT 'clutch',990.0",
        ),
        ("garage", "how much did we charge for brakes in total?", "SELECT 1250.0"),
        (
            "garage",
            "how much have we charged each customer?",
            "SELECT 'Omar Haddad',1110.0 UNION SELECT 'June Ellery',1440.0 UNION SELECT 'Piet Smit',290.0",
        ),
        ("garage", "how much money did Gus Arden bring in?", "SELECT 1090.0"),
        ("garage", "how much do the unpaid jobs add up to?", "SELECT 980.0"),
        (
            "garage",
            "revenue per mechanic",
            "SELECT 'Gus Arden',1090.0 UNION SELECT 'Mo Tran',760.0 UNION SELECT 'Kit Dowd',990.0",
        ),
        (
            "garage",
            "how much has each mechanic earned for us?",
            "SELECT 'Gus Arden',1090.0 UNION SELECT 'Mo Tran',760.0 UNION SELECT 'Kit Dowd',990.0",
        ),
        ("garage", "how much money have we made from tyres?", "SELECT 600.0"),
        (
            "garage",
            "takings per month this year",
            "SELECT '2025-03',450.0 UNION SELECT '2025-08',730.0 UNION SELECT '2025-09',670.0",
        ),
        ("garage", "the most expensive job", "SELECT 4"),
        ("garage", "which job cost the most?", "SELECT 4"),
        ("garage", "which customer has spent the most?", "SELECT 'June Ellery'"),
        ("garage", "average mileage of insured cars", "SELECT 113500.0"),
        ("garage", "how many kilometres do cars have on average?", "SELECT 74900.0"),
        ("stage", "how much money came in from Hamlet?", "SELECT 157.0"),
        ("stage", "how much money came in for Hamlet, not counting cancellations?", "SELECT 113.0"),
        ("stage", "how many places does a booking have on average?", "SELECT 3.0"),
        ("stage", "on average, how many places are booked?", "SELECT 3.0"),
        ("pottery", "wares for less than 14 euros", "SELECT 'Espresso cup'"),
        ("pottery", "mugs under 12 euros", "SELECT 'Espresso cup'"),
        ("pottery", "which wares cost more than 40 euros?", "SELECT 'Fruit bowl' UNION SELECT 'Platter'"),
        ("pottery", "wares dearer than the salad bowl", "SELECT 'Fruit bowl' UNION SELECT 'Platter'"),
        ("pottery", "wares cheaper than the salad bowl", "SELECT 'Tall mug' UNION SELECT 'Espresso cup'"),
        ("pottery", "how much is the platter?", "SELECT 45"),
        ("pottery", "how much does the platter cost?", "SELECT 45"),
        ("pottery", "what does a tall mug cost?", "SELECT 14"),
        ("pottery", "material cost of the platter", "SELECT 13"),
        ("pottery", "what's the average price of a mug?", "SELECT 12.5"),
        ("lending", "total fines", "SELECT 2.5"),
        ("lending", "how much have readers paid in fines?", "SELECT 2.5"),
        ("bills", "how much have we billed Acme?", "SELECT 800.0"),
        ("bills", "biggest invoice", "SELECT 'I2'"),
    ],
)
def test_money_and_averages_are_said_by_everyday_words(
    opened: dict[str, Database], where: str, question: str, gold: str
) -> None:
    """Cost, charge, bill, earn, take in; on average, typically; what it all comes to."""
    gives(opened[where], say(opened[where], question, as_of=TODAY), gold)


@for_each(
    "where, question, gold",
    [
        ("pay", "biggest payment", "SELECT 2"),
        ("pay", "total spending per shop", "SELECT 'Lidl',70.5 UNION SELECT 'Esso',300.0 UNION SELECT 'Zoo',0"),
        ("pay", "payments over 40 euros", "SELECT 1 UNION SELECT 2"),
        ("pay", "who spent the most?", "SELECT 'Kim'"),
        ("pay", "which card holder spent the most?", "SELECT 'Kim'"),
        ("pay", "the most expensive payment of each card holder", "SELECT 1 UNION SELECT 2"),
        ("pay", "how much did we spend in May?", "SELECT 50.5"),
        ("pay", "payments with a fee over 1 euro", "SELECT 2"),
        ("pay", "total fees", "SELECT 2.75"),
        ("pay", "payments where the memo isn't given", "SELECT 2"),
        ("pay", "payments where the memo is not given", "SELECT 2"),
        ("pay", "the biggest single payment", "SELECT 2"),
        ("pay", "which shop has the most payments?", "SELECT 'Lidl'"),
        ("pay", "number of payments per month", "SELECT '2025-05',2 UNION SELECT '2025-06',1 UNION SELECT '2025-07',1"),
        ("clubs", "which clubs are free?", "SELECT 'Chess'"),
        ("clubs", "clubs free of charge", "SELECT 'Chess'"),
        ("clubs", "which club was founded first?", "SELECT 'Chess'"),
        ("clubs", "which club was founded last?", "SELECT 'Judo'"),
        ("clubs", "clubs by the river", "SELECT 'Rowing'"),
        ("clubs", "which clubs are by the river?", "SELECT 'Rowing'"),
        ("clubs", "clubs that are not by the river", "SELECT 'Chess' UNION SELECT 'Judo'"),
        ("clubs", "clubs without an inspection date", "SELECT 'Judo'"),
        ("clubs", "clubs with no inspection date", "SELECT 'Judo'"),
        ("clubs", "clubs with an inspection date in 2025", "SELECT 'Chess'"),
        ("clubs", "clubs for less than 20 euros a month", "SELECT 'Chess' UNION SELECT 'Judo'"),
        ("clubs", "clubs with a café", "SELECT 'Rowing'"),
        ("clubs", "clubs with a cafe", "SELECT 'Rowing'"),
        ("clubs", "clubs in Malmo", "SELECT 'Rowing' UNION SELECT 'Judo'"),
        ("garage", "how many jobs were on a Saturday?", "SELECT 3"),
        ("garage", "jobs last month", "SELECT 1 UNION SELECT 2"),
        ("garage", "jobs with a next service last month", "SELECT 'x' WHERE 0"),
    ],
)
def test_what_stands_beside_is_not_the_thing_itself(
    opened: dict[str, Database], where: str, question: str, gold: str
) -> None:
    """A fee beside an amount, the next visit beside a visit; free, not given, founded first."""
    gives(opened[where], say(opened[where], question, as_of=TODAY), gold)


@for_each(
    "where, question, gold",
    [
        ("garage", "just the 3 cheapest jobs", "SELECT 5 UNION SELECT 2 UNION SELECT 3"),
        ("garage", "only the two most expensive jobs", "SELECT 4 UNION SELECT 6"),
        ("garage", "show me just the unpaid jobs", "SELECT 2 UNION SELECT 3 UNION SELECT 5"),
        ("garage", "jobs that cost just 290", "SELECT 5"),
        ("garage", "how many jobs cost exactly 420?", "SELECT 1"),
        ("garage", "jobs paid in August", "SELECT 1"),
        ("garage", "how many jobs did Mo Tran get paid for?", "SELECT 1"),
        ("garage", "cars with several jobs", "SELECT 'ABC-10' UNION SELECT 'QRS-31'"),
        ("garage", "mechanics not working full time", "SELECT 'Mo Tran'"),
        ("garage", "the most recent job", "SELECT 5"),
        ("garage", "who joined last?", "SELECT 'Mo Tran'"),
        ("garage", "who was hired first?", "SELECT 'Gus Arden'"),
        ("garage", "total price of jobs except brakes", "SELECT 1590.0"),
        ("garage", "jobs other than brakes and tyres", "SELECT 4"),
        ("garage", "how much is owed per suburb?", "SELECT 'Fitzroy',980.0"),
        ("stage", "how many places were sold to Smits?", "SELECT 10"),
        ("stage", "which hall is the smallest in Ghent?", "SELECT 'Minard'"),
        ("stage", "bookings of 4 or more places", "SELECT 1 UNION SELECT 3"),
        ("stage", "customers who cancelled", "SELECT 'Okafor'"),
        ("stage", "most popular title by places booked", "SELECT 'Tartuffe'"),
        ("pottery", "wares we have never fired", "SELECT 'Platter'"),
        ("pottery", "who fired the most mugs?", "SELECT 'Sol'"),
        ("pottery", "who fired the most pieces in 2025?", "SELECT 'Nia'"),
        ("pottery", "in which month did we sell the most pieces?", "SELECT '2024-10'"),
        ("pottery", "temperature of the hottest firing", "SELECT 1260"),
        ("lending", "readers who joined before 2023", "SELECT 'Dr Amy Sato' UNION SELECT 'Ben Cole'"),
        ("lending", "how many books has Ben Cole not returned?", "SELECT 2"),
        ("lending", "books nobody has borrowed", "SELECT 'Persuasion'"),
        ("lending", "books borrowed more than once", "SELECT 'Dune'"),
        ("lending", "which books have been borrowed at least twice?", "SELECT 'Dune'"),
        ("lending", "how many times has Dune been borrowed?", "SELECT 3"),
        ("bills", "average amount of unpaid invoices", "SELECT 750.0"),
        ("bills", "which client owes the most?", "SELECT 'Borg'"),
        ("bills", "clients who owe more than 500", "SELECT 'Borg' UNION SELECT 'Cyan'"),
    ],
)
def test_the_most_is_money_or_pieces_or_rows(opened: dict[str, Database], where: str, question: str, gold: str) -> None:
    """Who owes, spends, fires or borrows the most; in which month; words without weight change nothing."""
    gives(opened[where], say(opened[where], question, as_of=TODAY), gold)


@for_each(
    "where, question",
    [
        ("garage", "did we refund anyone?"),
    ],
)
def test_the_most_is_money_or_pieces_or_rows_is_not_guessed(
    opened: dict[str, Database], where: str, question: str
) -> None:
    assert say(opened[where], question, as_of=TODAY).result is None


@for_each(
    "where, question, gold",
    [
        ("fair", "how many children are there?", "SELECT 3"),
        ("fair", "stalls larger than Dart Alley", "SELECT 'Mirror Tent'"),
        ("fair", "which stalls are smaller than Mirror Tent?", "SELECT 'Candy Row' UNION SELECT 'Dart Alley'"),
        ("fair", "the biggest stall", "SELECT 'Mirror Tent'"),
        ("fair", "children who are taller than the average", "SELECT 'Ada Fox' UNION SELECT 'Ned Orr'"),
        ("fair", "which gig had the biggest crowd?", "SELECT 2"),
        ("fair", "gigs where the crowd fell below 80", "SELECT 3 UNION SELECT 4"),
        ("fair", "gigs whose audience went over 80", "SELECT 1 UNION SELECT 2"),
        ("fair", "how many gigs fell on a weekend?", "SELECT 2"),
        ("fair", "gigs that fell in August", "SELECT 3"),
        ("fair", "total takings amount of Dart Alley", "SELECT 500.0"),
        ("fair", "gigs with takings of more than a hundred and fifty euros", "SELECT 1 UNION SELECT 2"),
        ("fair", "gigs with takings under four hundred", "SELECT 2 UNION SELECT 3 UNION SELECT 4"),
        ("fair", "gigs for which no tip was recorded", "SELECT 3"),
        ("fair", "gigs that don't state a tip", "SELECT 3"),
        ("fair", "gigs with no tip given", "SELECT 3"),
        ("fair", "how many gigs have no tip listed?", "SELECT 1"),
    ],
)
def test_plain_words_of_crowds_falls_and_what_is_not_given(
    opened: dict[str, Database], where: str, question: str, gold: str
) -> None:
    """Children, crowds; to fall below and to fall on; money behind the name of money; what is not recorded."""
    gives(opened[where], say(opened[where], question, as_of=TODAY), gold)


@for_each(
    "where, question, gold",
    [
        ("fair", "how much tip money did we get in September?", "SELECT 50.0"),
        ("fair", "which children were tired yesterday?", "SELECT 'Ivy Hall'"),
        ("fair", "which children were happy today?", "SELECT 'Ada Fox'"),
        ("fair", "children born in 2015", "SELECT 'Ned Orr'"),
        ("letting", "flats on the third floor or higher", "SELECT 'A1' UNION SELECT 'A3' UNION SELECT 'A4'"),
        ("letting", "flats above the second floor", "SELECT 'A1' UNION SELECT 'A3' UNION SELECT 'A4'"),
        ("letting", "flats on the 4th floor", "SELECT 'A3'"),
        ("letting", "2-room flats", "SELECT 'A1' UNION SELECT 'A3'"),
        ("letting", "is there a three-room flat in Mill End?", "SELECT 'A2'"),
        ("letting", "flats with a Vaillant", "SELECT 'A1' UNION SELECT 'A2' UNION SELECT 'A5'"),
        ("letting", "how many Vaillants are there?", "SELECT 3"),
        (
            "letting",
            "flats under 1000 euros a month",
            "SELECT 'A1' UNION SELECT 'A2' UNION SELECT 'A3' UNION SELECT 'A5'",
        ),
        ("letting", "what percentage of the flats in Docks have a lift?", "SELECT 1.0"),
        ("letting", "what share of Mill End's flats has a lift?", "SELECT 1.0/3"),
        ("letting", "the largest flat of each quarter", "SELECT 'Mill End','A2' UNION SELECT 'Docks','A4'"),
        (
            "letting",
            "for each quarter, which flat has the lowest rent?",
            "SELECT 'Mill End','A5' UNION SELECT 'Docks','A3'",
        ),
        ("cup", "races paid after the promised date", "SELECT 1"),
        ("cup", "how many races were paid before the promised date?", "SELECT 1"),
        ("cup", "total red points by crew", "SELECT 1,9 UNION SELECT 2,2 UNION SELECT 3,1"),
        ("cup", "total blue points of each crew", "SELECT 1,7 UNION SELECT 2,3 UNION SELECT 3,10"),
        ("cup", "races paid after June 5", "SELECT 1 UNION SELECT 2"),
    ],
)
def test_floors_rooms_names_in_values_and_one_day_beside_another(
    opened: dict[str, Database], where: str, question: str, gold: str
) -> None:
    """The third floor or higher, a 2-room flat; a maker in the names of models; paid after the promised day."""
    gives(opened[where], say(opened[where], question, as_of=TODAY), gold)


def test_two_ways_to_a_crew_are_not_guessed(opened: dict[str, Database]) -> None:
    assert say(opened["cup"], "number of races per crew", as_of=TODAY).result is None


@for_each(
    "where, question, gold",
    [
        ("diving", "divers who never participated in a dive", "SELECT 'Max Beer'"),
        ("diving", "who participated in the most dives?", "SELECT 'Jon Pratt',3"),
        ("diving", "how many dives did Jon Pratt participate in?", "SELECT 3"),
        ("diving", "which dives did Lia Moss participate in?", "SELECT 3"),
        ("diving", "dives in which Jon Pratt participated", "SELECT 1 UNION SELECT 2 UNION SELECT 3"),
        ("diving", "divers who participated in a dive at the Blue Cave", "SELECT 'Ines Kay' UNION SELECT 'Jon Pratt'"),
        ("diving", "divers who have not participated in a dive this year", "SELECT 'Max Beer'"),
        (
            "diving",
            "divers who participated in a dive",
            "SELECT 'Ines Kay' UNION SELECT 'Jon Pratt' UNION SELECT 'Lia Moss'",
        ),
        (
            "diving",
            "which nurses participated in a dive at the North Wreck?",
            "SELECT 'Ines Kay' UNION SELECT 'Lia Moss'",
        ),
        ("diving", "divers who guided a dive", "SELECT 'Ines Kay' UNION SELECT 'Jon Pratt' UNION SELECT 'Max Beer'"),
        ("diving", "divers who never guided a dive", "SELECT 'Lia Moss'"),
        ("kiosk", "buyers who placed an order in August", "SELECT 'Rae Holm' UNION SELECT 'Ty Webb'"),
        ("kiosk", "clubs that placed an order", "SELECT 'Rae Holm' UNION SELECT 'Una Kerr'"),
        ("kiosk", "which clubs placed an order in August?", "SELECT 'Rae Holm'"),
        ("kiosk", "which clubs ordered waffles?", "SELECT 'Rae Holm'"),
        ("kiosk", "orders from clubs", "SELECT 1 UNION SELECT 3 UNION SELECT 4"),
        ("cameras", "cameras overhauled at least twice", "SELECT 'C1',3"),
        ("cameras", "cameras overhauled by Rolf", "SELECT 'C1' UNION SELECT 'C5'"),
        ("cameras", "which camera was overhauled most often?", "SELECT 'C1',3"),
        ("cameras", "cameras that have not been overhauled", "SELECT 'C3' UNION SELECT 'C4'"),
        ("cameras", "givers who gave us more than one camera", "SELECT 'Ada Holt',2"),
    ],
)
def test_what_was_done_is_told_by_the_table_of_that_name(
    opened: dict[str, Database], where: str, question: str, gold: str
) -> None:
    """Who participated is told by the participation, not by the guide of a dive; a kind of people that did something."""
    gives(opened[where], say(opened[where], question, as_of=TODAY), gold)


@for_each(
    "where, question, gold",
    [
        ("diving", "how many people were rescued in the Blue Cave?", "SELECT 5"),
        ("diving", "how many were rescued in 2025?", "SELECT 3"),
        ("diving", "number of people rescued per site", "SELECT 'Blue Cave',5 UNION SELECT 'North Wreck',1"),
        ("diving", "how many dives were aborted?", "SELECT 1"),
        ("diving", "what percentage of dives turned out to be aborted?", "SELECT 0.25"),
        ("kiosk", "which ware sold the most pieces?", "SELECT 'Fudge',30"),
        ("kiosk", "pieces sold by kind to clubs", "SELECT 'drink',16 UNION SELECT 'sweet',40"),
        ("kiosk", "how many pieces of fudge were ordered?", "SELECT 30"),
        ("kiosk", "how many pieces did we sell in August?", "SELECT 17"),
        ("kiosk", "how many orders are there?", "SELECT 4"),
        ("cameras", "number of cameras per format", "SELECT '35mm',3 UNION SELECT '120',2"),
        ("cameras", "average worth by camera", "SELECT camera, avg(worth_eur) FROM cameras GROUP BY 1"),
        ("cameras", "how many different cameras do we have?", "SELECT 5"),
        ("cameras", "overhauls still in progress", "SELECT 4"),
        ("cameras", "overhauls under way", "SELECT 4"),
    ],
)
def test_pieces_are_added_up_and_rows_are_not_their_column_of_that_name(
    opened: dict[str, Database], where: str, question: str, gold: str
) -> None:
    """How many were rescued, pieces sold; cameras of which one column is called the camera; what is in progress."""
    gives(opened[where], say(opened[where], question, as_of=TODAY), gold)


@for_each("where, question", [("diving", "which nurses have been to the Blue Cave")])
def test_who_led_and_who_took_part_are_not_confused(opened: dict[str, Database], where: str, question: str) -> None:
    assert say(opened[where], question, as_of=TODAY).result is None


@for_each(
    "where, question, gold",
    [
        ("diving", "boats that have not been serviced in the last 12 months", "SELECT 'Heron' UNION SELECT 'Puffin'"),
        ("diving", "boats not serviced this year", "SELECT 'Heron' UNION SELECT 'Puffin'"),
        ("diving", "boats that haven't been serviced since 2024", "SELECT 'Heron' UNION SELECT 'Puffin'"),
        ("diving", "boats serviced this year", "SELECT 'Gannet'"),
        ("diving", "the oldest boat", "SELECT 'Heron'"),
        ("cameras", "overhauls that were not finished in 2024", "SELECT 4 UNION SELECT 5"),
        ("cameras", "lendings not returned in March", "SELECT 1 UNION SELECT 3 UNION SELECT 4"),
        ("cameras", "the oldest camera", "SELECT 'C2'"),
        ("cameras", "the second oldest camera", "SELECT 'C3'"),
        ("cameras", "what did we spend on overhauls in 2024?", "SELECT 230"),
        ("cameras", "What did overhauls cost in 2024?", "SELECT 230"),
        ("cameras", "what did the overhauls by Rolf cost?", "SELECT 170"),
        ("cameras", "what have we spent on overhauls?", "SELECT 250"),
        ("kiosk", "what does a waffle cost?", "SELECT 3.0"),
        ("kiosk", "how many lemonades have we sold in total?", "SELECT 16"),
        ("kiosk", "how many waffles did we sell?", "SELECT 10"),
        ("kiosk", "how many drinks were sold in August?", "SELECT 13"),
        ("kiosk", "how many waffles were ordered by clubs?", "SELECT 10"),
        ("kiosk", "how many times was lemonade ordered?", "SELECT 3"),
        ("kiosk", "how many sweets are there?", "SELECT 2"),
        ("kiosk", "how many clubs ordered waffles?", "SELECT 1"),
    ],
)
def test_what_never_was_done_what_was_spent_and_how_many_were_sold(
    opened: dict[str, Database], where: str, question: str, gold: str
) -> None:
    """Not serviced since May may be never; the oldest is that built first; goods are counted by their pieces."""
    gives(opened[where], say(opened[where], question, as_of=TODAY), gold)


@for_each(
    "where, question, gold",
    [
        ("cameras", "lendings that came back late", "SELECT 1"),
        ("cameras", "lendings returned late", "SELECT 1"),
        ("cameras", "lendings that were returned too late", "SELECT 1"),
        ("cameras", "cameras that have never been lent nor overhauled", "SELECT 'C4'"),
        ("cameras", "cameras neither lent nor overhauled", "SELECT 'C4'"),
        ("cameras", "cameras that were never lent or overhauled", "SELECT 'C4'"),
        ("cameras", "total worth of cameras, 35mm ones left out", "SELECT 150"),
        ("diving", "how many divers aged 50 or older have a boat licence?", "SELECT 2"),
        ("diving", "how many divers aged over 50 hold a boat licence?", "SELECT 2"),
        ("diving", "divers who hold a boat licence", "SELECT 'Ines Kay' UNION SELECT 'Max Beer'"),
        ("diving", "boats that were never sent out", "SELECT 'Puffin'"),
    ],
)
def test_late_neither_left_out_and_aged(opened: dict[str, Database], where: str, question: str, gold: str) -> None:
    """Returned after the day when it was due; neither lent nor repaired; what is left out; aged 50; never sent out."""
    gives(opened[where], say(opened[where], question, as_of=TODAY), gold)


def test_works_of_somebody_are_no_verb(opened: dict[str, Database]) -> None:
    assert say(opened["diving"], "Ines Kay's works from oldest to newest", as_of=TODAY).result is None
