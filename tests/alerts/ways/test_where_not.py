"""Where no message ever goes: the address forms, refused when a form is checked and again when something is sent."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from monitor_site.alerts.ways import guard
from monitor_site.alerts.ways.addresses import BadAddress, Wrong, judge, read_address, resolve_now
from monitor_site.alerts.ways.apprise_guard import Guard, Refused
from monitor_site.alerts.ways.kinds import BadChannel, check
from monitor_site.alerts.ways.push_crypto import point, to_base64
from monitor_site.alerts.ways.send import Way, send
from monitor_site.alerts.ways.values import Message, Outcome
from monitor_site.networks import BadNetworks, Networks
from tests.marketplaces.loopback import Loopback

from .asking import SECRET, answers, hook, says

Made = Callable[..., Message]

PUBLIC = "93.184.216.34"
KEYS = {
    "p256dh": to_base64(point(ec.generate_private_key(ec.SECP256R1()).public_key())),
    "auth": to_base64(b"0123456789abcdef"),
}
# Address → why it is refused when it is read or when its name is looked up.
FORMS = {
    "https://127.0.0.1/": Wrong.HOME,
    "https://127.0.0.1:443/": Wrong.HOME,
    "https://2130706433/": Wrong.FORM,
    "https://0x7f.1/": Wrong.FORM,
    "https://0x7f000001/": Wrong.FORM,
    "https://0177.0.0.1/": Wrong.FORM,
    "https://127.1/": Wrong.FORM,
    "https://127.0.0.1./": Wrong.HOME,
    "https://[::1]/": Wrong.HOME,
    "https://[::]/": Wrong.HOME,
    "https://[::ffff:127.0.0.1]/": Wrong.HOME,
    "https://[::ffff:7f00:1]/": Wrong.HOME,
    "https://[::127.0.0.1]/": Wrong.HOME,
    "https://[64:ff9b::7f00:1]/": Wrong.HOME,
    "https://[64:ff9b:1::1]/": Wrong.HOME,
    "https://[2002:7f00:1::]/": Wrong.HOME,
    "https://[2001::1]/": Wrong.HOME,
    "https://169.254.169.254/latest/meta-data/": Wrong.HOME,
    "https://100.64.0.1/": Wrong.HOME,
    "https://0.0.0.0/": Wrong.HOME,
    "https://10.0.0.1/": Wrong.HOME,
    "https://172.16.0.1/": Wrong.HOME,
    "https://192.168.1.1/": Wrong.HOME,
    "https://224.0.0.1/": Wrong.HOME,
    "https://255.255.255.255/": Wrong.HOME,
    "https://[fe80::1]/": Wrong.HOME,
    "https://[fe80::1%25eth0]/": Wrong.FORM,
    "https://[fec0::1]/": Wrong.HOME,
    "https://[fd12::1]/": Wrong.HOME,
    "https://[ff02::1]/": Wrong.HOME,
    "https://localhost/": Wrong.HOME,
    "https://LOCALHOST/": Wrong.HOME,
    "https://localhost./": Wrong.HOME,
    "https://①②⑦.⓪.⓪.①/": Wrong.FORM,
    "https://１２７．０．０．１/": Wrong.FORM,
    "https://127。0。0。1/": Wrong.FORM,
    "https://ｌｏｃａｌｈｏｓｔ/": Wrong.FORM,
    "https://example.com@127.0.0.1/": Wrong.USER,
    "https://user:password@example.com/": Wrong.USER,
    "https://example.com%40127.0.0.1/": Wrong.FORM,
    "https://example.com\\@127.0.0.1/": Wrong.FORM,
    "https://127.0.0.1#@example.com/": Wrong.FORM,
    "https://example.com:443@127.0.0.1/": Wrong.USER,
    "https:///127.0.0.1/": Wrong.FORM,
    "https:127.0.0.1/": Wrong.FORM,
    "//127.0.0.1/": Wrong.FORM,
    "https:///": Wrong.FORM,
    "https://exa mple.com/": Wrong.FORM,
    "https://example.com/\r\nHost: 127.0.0.1": Wrong.FORM,
    "https://example.com:0/": Wrong.FORM,
    "https://example.com:99999/": Wrong.FORM,
    "https://example.com:22/": Wrong.PORT,
    "https://example.com:6379/": Wrong.PORT,
    "http://example.com/": Wrong.HTTP,
    "http://127.0.0.1/": Wrong.HOME,
    "file:///etc/passwd": Wrong.FORM,
    "gopher://127.0.0.1:70/": Wrong.FORM,
    "ftp://example.com/": Wrong.FORM,
    "javascript:alert(1)": Wrong.FORM,
    "": Wrong.FORM,
}


def looked_up(host: str, port: int) -> list[str]:
    """Names of example.com are public, everything else is looked up as it always is."""
    return [PUBLIC] if host.endswith("example.com") else resolve_now(host, port)


@pytest.mark.parametrize("address", FORMS)
def test_a_form_with_such_an_address_is_refused_for_its_reason(address: str) -> None:
    with pytest.raises(BadAddress) as refused:
        judge(read_address(address), Networks(), resolve=looked_up)

    assert refused.value.wrong is FORMS[address]


@pytest.mark.parametrize("address", [form for form in FORMS if form])
@pytest.mark.parametrize("kind", ["webhook", "webpush", "gotify", "ntfy", "bark"])
def test_no_kind_takes_such_an_address(kind: str, address: str) -> None:
    fields = {
        "webhook": {"url": address},
        "webpush": {"endpoint": address} | KEYS,
        "gotify": {"server": address, "token": "AeXmVlF3gDqVhKZ"},
        "ntfy": {"server": address, "topic": "mm"},
        "bark": {"server": address, "key": "yZ6hzfq3iWqmDkKpnT9vQe"},
    }[kind]

    with pytest.raises(BadChannel) as refused:
        check(kind, {}, fields, resolve=looked_up)

    assert refused.value.field in {"url", "endpoint", "server"}


async def test_nothing_is_sent_there_either(strict_way: Way, message: Made) -> None:
    """Stored before the guard knew better, or written into the row by hand."""
    unsafe, forms = {}, [form for form, wrong in FORMS.items() if wrong in {Wrong.HOME, Wrong.FORM, Wrong.USER}]
    for address in forms:
        for kind, settings in (
            ("webhook", {"url": address, "secret": SECRET}),
            ("webpush", {"endpoint": address} | KEYS),
        ):
            answer = await send(kind=kind, settings=settings, message=message(), way=strict_way)
            unsafe[kind, address] = answer.outcome

    assert {pair for pair, each in unsafe.items() if each not in {Outcome.UNSAFE, Outcome.FORBIDDEN}} == set()
    assert unsafe["webhook", "https://127.0.0.1/"] is Outcome.UNSAFE
    assert unsafe["webpush", "https://[64:ff9b::7f00:1]/"] is Outcome.UNSAFE
    assert unsafe["webhook", "https://localhost./"] is Outcome.UNSAFE


@pytest.mark.parametrize("resolved", [("10.0.0.1",), (PUBLIC, "10.0.0.1"), ("10.0.0.1", PUBLIC), ("fe80::1",)])
async def test_a_name_with_one_private_address_is_refused_at_both_guards(
    message: Made, resolved: tuple[str, ...]
) -> None:
    with pytest.raises(BadAddress):
        judge(read_address("https://mixed.example/"), Networks(), resolve=says(*resolved))
    async with Way(resolve=answers(*resolved)) as way:
        settings = {"url": "https://mixed.example/", "secret": SECRET}
        answer = await send(kind="webhook", settings=settings, message=message(), way=way)

    assert answer.outcome is Outcome.UNSAFE


async def test_a_name_that_changes_after_the_check_is_refused_at_the_connection(sink: Loopback, message: Made) -> None:
    url = f"https://rebinding.example:{443}/"
    check("webhook", {}, {"url": url}, resolve=says(PUBLIC))
    async with Way(resolve=answers("127.0.0.1")) as way:
        answer = await send(kind="webhook", settings={"url": url, "secret": SECRET}, message=message(), way=way)

    assert (answer.outcome, sink.connections) == (Outcome.UNSAFE, 0)


async def test_http_goes_only_where_the_operator_named_the_network(sink: Loopback, message: Made) -> None:
    """A public address would do over https, but in the clear the signature's secret stays and the words do not."""
    async with Way(resolve=answers(PUBLIC)) as way:
        settings = {"url": "http://public.example/", "secret": SECRET}
        answer = await send(kind="webhook", settings=settings, message=message(), way=way)

    assert answer.outcome is Outcome.UNSAFE


async def test_a_redirect_home_leads_nowhere(way: Way, sink: Loopback, message: Made) -> None:
    sink.answer("/hook", b"", status=302, location=f"{sink.base}/admin")
    sink.answer("/admin", b"reached")

    answer = await send(kind="webhook", settings=hook(sink), message=message(), way=way)

    assert (answer.outcome, answer.status) == (Outcome.FORBIDDEN, 302)
    assert [asked.path for asked in sink.asked] == ["/hook"]


def test_our_own_public_address_is_refused() -> None:
    networks = Networks(own=frozenset({PUBLIC}))

    with pytest.raises(BadAddress) as refused:
        judge(read_address("https://somebody.example/"), networks, resolve=says(PUBLIC))

    assert refused.value.wrong is Wrong.HOME
    assert not networks.allows(f"::ffff:{PUBLIC}", 443)


async def test_our_own_name_is_refused_at_both_guards(settings: Any, message: Made) -> None:
    settings.ALLOWED_HOSTS = ["monitor.example"]

    with pytest.raises(BadChannel, match=r"monitor\.example leads to this server"):
        check("webhook", {}, {"url": "https://Monitor.example/"}, resolve=says(PUBLIC))
    async with Way(resolve=answers(PUBLIC)) as way:
        settings = {"url": "https://monitor.example/", "secret": SECRET}
        answer = await send(kind="webhook", settings=settings, message=message(), way=way)

    assert answer.outcome is Outcome.UNSAFE


def test_the_addresses_of_this_machine_are_known() -> None:
    assert "127.0.0.1" in guard.networks_now().own


HOSTS = {
    "127.0.0.1",
    "2130706433",
    "0x7f.1",
    "0177.0.0.1",
    "127.1",
    "localhost",
    "localhost.",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "169.254.169.254",
    "100.64.0.1",
    "0.0.0.0",
    "10.0.0.1",
    "[fe80::1]",
    "[fec0::1]",
    "[64:ff9b::7f00:1]",
    "[2002:7f00:1::]",
    "①②⑦.⓪.⓪.①",
    "１２７．０．０．１",
    "user@127.0.0.1",
}


async def test_apprise_reaches_none_of_them(strict_way: Way, sink: Loopback, message: Made) -> None:
    """Each at the port of a real server, so that an address that got through would be seen."""
    schemas = ("json", "jsons", "gotify", "form", "xml", "mailto")

    async def outcome(host: str, schema: str) -> Outcome:
        settings = {"address": f"{schema}://{host}:{sink.port}/token"}
        return (await send(kind="other", settings=settings, message=message(), way=strict_way)).outcome

    pairs = [(host, schema) for host in sorted(HOSTS) for schema in schemas]
    found = dict(zip(pairs, await asyncio.gather(*(outcome(*pair) for pair in pairs)), strict=True))

    assert sink.connections == 0
    assert set(found.values()) <= {Outcome.UNSAFE, Outcome.FORBIDDEN, Outcome.UNREACHABLE}
    assert found["127.0.0.1", "json"] is Outcome.UNSAFE
    assert found["localhost", "jsons"] is Outcome.UNSAFE
    assert found["[::1]", "json"] is Outcome.UNSAFE


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "10.1.2.3", "::1", "::ffff:127.0.0.1"),
        *("64:ff9b::7f00:1", "2002:7f00:1::", "fe80::1", "fec0::1", "localhost", "example.com", "2130706433", ""),
    ],
)
@pytest.mark.parametrize("event", ["socket.connect", "socket.sendto", "socket.sendmsg"])
def test_the_audit_hook_refuses_what_is_not_a_plainly_public_number(event: str, address: str) -> None:
    violations: list[bool] = []

    with pytest.raises(Refused):
        Guard(networks=Networks(), violated=lambda: violations.append(True))._judge(event, (None, (address, 443)))

    assert violations


@pytest.mark.parametrize("address", ["/run/docker.sock", b"/run/docker.sock", b"\0abstract", None, (), ("1.1.1.1",), 7])
def test_the_audit_hook_refuses_sockets_of_this_machine(address: Any) -> None:
    everywhere = Networks.read(["0.0.0.0/0", "::/0"])

    with pytest.raises(Refused):
        Guard(networks=everywhere, violated=lambda: None)._judge("socket.connect", (None, address))


@pytest.mark.parametrize("port", [22, 25, 53, 6379, 8080])
def test_the_audit_hook_refuses_odd_ports_of_public_addresses(port: int) -> None:
    with pytest.raises(Refused):
        Guard(networks=Networks(), violated=lambda: None)._judge("socket.connect", (None, ("1.1.1.1", port)))


@pytest.mark.parametrize(("address", "port"), [("1.1.1.1", 443), ("2606:4700::1", 443), ("1.1.1.1", 587)])
def test_the_audit_hook_lets_public_addresses_pass(address: str, port: int) -> None:
    Guard(networks=Networks(), violated=lambda: None)._judge("socket.connect", (None, (address, port, 0, 0)))


@pytest.mark.parametrize(
    "event", ["subprocess.Popen", "os.system", "os.exec", "os.fork", "ctypes.dlopen", "syslog.syslog", "os.remove"]
)
def test_the_audit_hook_refuses_deeds_on_this_machine(event: str) -> None:
    violations: list[bool] = []

    with pytest.raises(Refused):
        Guard(networks=Networks(), violated=lambda: violations.append(True))._judge(event, ("anything",))

    assert violations


@pytest.mark.parametrize(
    ("path", "flags"), [("/etc/passwd", 0), ("/proc/self/environ", 0), ("relative", 0), (pytest.__file__, 1), (None, 0)]
)
def test_the_audit_hook_refuses_files_that_are_not_pythons(path: Any, flags: int) -> None:
    with pytest.raises(Refused):
        Guard(networks=Networks(), violated=lambda: None)._judge("open", (path, "r", flags))


def test_the_audit_hook_lets_pythons_own_files_be_read() -> None:
    Guard(networks=Networks(), violated=lambda: None)._judge("open", (pytest.__file__, "r", 0))


@pytest.mark.parametrize("secret_file", ["tgram://123456789:AAabcdefghijklmnopqrstuvwxyz012345678/1/?template={}"])
async def test_apprise_reads_no_file_that_an_address_names(
    strict_way: Way, message: Made, tmp_path: Any, secret_file: str
) -> None:
    (tmp_path / "secret.json").write_text('{"text":"secret"}')
    settings = {"address": secret_file.format(tmp_path / "secret.json")}

    answer = await send(kind="other", settings=settings, message=message(), way=strict_way)

    assert answer.outcome in {Outcome.UNREACHABLE, Outcome.FORBIDDEN, Outcome.REFUSED}


def test_ranges_that_cannot_be_read_allow_nothing_and_are_complained_about(settings: Any) -> None:
    settings.ALERT_NETWORKS = ["10.0.0.0/8", "everything"]

    with pytest.raises(BadNetworks):
        Networks.read(settings.ALERT_NETWORKS)
    assert not guard.networks_now().allows("10.0.0.1", 443)
    assert ["ALERT_NETWORKS cannot be read" in sentence for sentence in guard.complaints()] == [True]


def test_a_named_range_allows_http_odd_ports_and_private_addresses() -> None:
    networks = Networks.read(["192.168.0.0/16"])

    judge(read_address("http://gotify.lan:8080/push"), networks, resolve=says("192.168.1.5"))

    with pytest.raises(BadAddress):
        judge(read_address("https://gotify.lan/"), networks, resolve=says("10.0.0.1"))


@pytest.mark.parametrize(
    ("address", "host"),
    [
        ("https://bücher.example/x?y=1", "xn--bcher-kva.example"),
        ("https://BÜCHER.example", "xn--bcher-kva.example"),
        ("HTTPS://Example.COM:8443/a", "example.com"),
        ("https://[2606:4700::1]:443/", "2606:4700::1"),
        ("https://通知.example/", "xn--k7y792c.example"),
    ],
)
def test_an_ordinary_address_is_read_as_it_goes_over_the_wire(address: str, host: str) -> None:
    place = read_address(address)

    judge(place, Networks(), resolve=says(PUBLIC))

    assert place.host == host
    assert read_address(place.url) == place
