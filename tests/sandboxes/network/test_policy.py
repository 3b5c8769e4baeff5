"""Lists of hosts: what they mean, what they refuse, and which addresses are of the world."""

from ipaddress import ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yudai.sandboxes.backends.network.addresses import is_own, is_public
from yudai.sandboxes.backends.network.dial import upstream_of
from yudai.sandboxes.backends.network.http import Place
from yudai.sandboxes.backends.toolchain.package_settings import hosts_of, package_settings
from yudai.sandboxes.domain.allowed_hosts import Allowed, Permission, canonical, parse

NO, PUBLIC, ANY = Permission


@pytest.mark.parametrize(
    ("entry", "host", "port", "permission"),
    [
        ("pypi.org", "pypi.org", 443, PUBLIC),
        ("pypi.org", "pypi.org", 80, PUBLIC),
        ("pypi.org", "pypi.org", 8080, NO),
        ("pypi.org", "files.pypi.org", 443, NO),
        ("pypi.org", "evilpypi.org", 443, NO),
        ("pypi.org", "pypi.org.evil.net", 443, NO),
        ("PyPI.org.", "pypi.org", 443, PUBLIC),
        ("pypi.org:8443", "pypi.org", 8443, ANY),
        ("pypi.org:8443", "pypi.org", 443, NO),
        ("*.example.com", "a.example.com", 443, PUBLIC),
        ("*.example.com", "b.a.example.com", 80, PUBLIC),
        ("*.example.com", "example.com", 443, NO),
        ("*.example.com", "evilexample.com", 443, NO),
        ("*.example.com:8080", "a.example.com", 8080, PUBLIC),
        ("*.example.com:8080", "a.example.com", 443, NO),
        ("*", "anything.net", 443, PUBLIC),
        ("*", "anything.net", 22, PUBLIC),
        ("*", "10.0.0.1", 443, PUBLIC),
        ("*:443", "anything.net", 22, NO),
        ("10.0.0.1", "10.0.0.1", 443, ANY),
        ("10.0.0.1", "10.0.0.1", 5000, NO),
        ("127.0.0.1:5000", "127.0.0.1", 5000, ANY),
        ("::1", "::1", 443, ANY),
        ("[::1]:5000", "::1", 5000, ANY),
        ("[::FFFF:127.0.0.1]:5000", "127.0.0.1", 5000, ANY),
        ("bücher.example", "xn--bcher-kva.example", 443, PUBLIC),
        ("*.bücher.example", "a.xn--bcher-kva.example", 443, PUBLIC),
    ],
)
def test_what_an_entry_means(entry: str, host: str, port: int, permission: Permission):
    assert Allowed([entry]).permission(host, port) is permission


def test_the_widest_entry_counts_and_an_empty_list_is_nothing():
    allowed = Allowed(["*", "index.corp:443"])

    assert allowed.permission("index.corp", 443) is ANY
    assert allowed.permission("other.corp", 443) is PUBLIC
    assert Allowed([]).permission("pypi.org", 443) is NO


@pytest.mark.parametrize(
    "entry",
    [
        *("", " ", "a b", "*foo.com", "a.*.com", "*.", "*.*", "**", "*.10.0.0.1", "-a.com"),
        *("a..b", "host:", "host:0", "host:65536", "host:http", "host:٤٤٣", "[::1", "[a]:1"),
        *(
            "fe80::1%eth0",
            "127.1",
            "0x7f000001",
            "2130706433",
            "1.2.3.4.5",
            "\uff11\uff12\uff17.0.0.1",
        ),
        *("a" * 64, "a." * 127 + "toolong", "10.0.0.0/8", "\0", "a\nb"),
    ],
)
def test_nonsense_is_refused_in_one_line_that_says_what_to_write(entry: str):
    with pytest.raises(ValueError, match="is not a host: write `host`") as refused:
        parse(entry)

    assert len(str(refused.value).splitlines()) == 1


def test_of_a_url_the_host_is_reported():
    with pytest.raises(ValueError, match=r"write the host alone: `pypi\.org`"):
        parse("https://pypi.org/simple")


@given(st.text(max_size=80))
def test_a_canonical_name_stays_as_it_is(text: str):
    try:
        name = canonical(text)
    except ValueError:
        return
    assert canonical(name) == name == name.lower()
    assert name.isascii()
    assert not set(name) & set("/@%[] \r\n\0")


def test_hosts_of_package_settings_have_ports_and_proxies_are_none():
    environ = {
        "PIP_INDEX_URL": "https://me:secret@pypi.corp/simple",
        "PIP_EXTRA_INDEX_URL": "http://a.corp:8080/x https://B.corp./y",
        "UV_INDEX": "name=https://c.corp/simple",
        "NPM_CONFIG_REGISTRY": "http://[fd00::1]:4873/",
        "PIP_TRUSTED_HOST": "trusted.corp",
        "UV_HTTP_TIMEOUT": "30",
        "PIP_FIND_LINKS": "https://127.1/x",
        "HTTPS_PROXY": "http://proxy.corp:3128",
        "PIP_PROXY": "http://proxy.corp:3128",
        "npm_config_https_proxy": "http://proxy.corp:3128",
    }
    packages = package_settings(environ)

    assert hosts_of(packages) == (
        *("pypi.corp:443", "a.corp:8080", "b.corp:443", "c.corp:443", "[fd00::1]:4873"),
    )
    assert not [name for name in packages.without_proxies().variables if "prox" in name.lower()]
    assert Allowed(hosts_of(packages)).permission("fd00::1", 4873) is ANY


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "127.9.9.9", "0.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1"),
        *("169.254.169.254", "100.64.0.1", "100.100.100.200", "192.0.0.192", "168.63.129.16"),
        *("224.0.0.1", "239.1.1.1", "240.0.0.1", "255.255.255.255", "198.18.0.1"),
        *(
            "0:0:0:0:0:0:0:0",
            "::1",
            "fe80::1",
            "fd00:ec2::254",
            "ff02::1",
            "fec0::1",
            "::ffff:127.0.0.1",
        ),
        *("::ffff:169.254.169.254", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "2002:7f00:1::"),
        *("::7f00:1", "2001:0:1::1", "2001:db8::1", "3fff::1", "5f00::1"),
    ],
)
def test_addresses_that_are_not_of_the_world(address: str):
    assert not is_public(ip_address(address))


@pytest.mark.parametrize(
    "address",
    ["1.1.1.1", "151.101.0.223", "2606:4700::1111", "::ffff:1.1.1.1", "64:ff9b::101:101"],
)
def test_addresses_that_are(address: str):
    assert is_public(ip_address(address))


def test_this_machines_own_address_is_known_without_asking_anybody():
    assert is_own(ip_address("127.0.0.1"))
    assert not is_own(ip_address("192.0.2.1"))


def place(host: str, port: int = 443) -> Place:
    return Place(host, port)


def test_the_machines_own_proxy_is_found_in_its_variables():
    found = upstream_of(
        {"HTTPS_PROXY": "http://me:s%40fe@proxy.corp:3128", "http_proxy": "plain.corp"}
    )

    assert found.tunnels is not None
    assert (found.tunnels.host, found.tunnels.port) == ("proxy.corp", 3128)
    assert found.tunnels.fields == (("Proxy-Authorization", "Basic bWU6c0BmZQ=="),)
    assert "s@fe" not in repr(found)
    assert found.plain is not None
    assert (found.plain.host, found.plain.port, found.plain.fields) == ("plain.corp", 80, ())
    assert found.via(place("pypi.org"), tunnel=True) is found.tunnels
    assert found.via(place("pypi.org", 80), tunnel=False) is found.plain


@pytest.mark.parametrize("value", ["", "socks5://proxy.corp:1080", "http://", "http://a b"])
def test_what_is_no_http_proxy_is_none(value: str):
    assert upstream_of({"ALL_PROXY": value}).via(place("pypi.org"), tunnel=True) is None


@pytest.mark.parametrize(
    ("listed", "host", "is_direct"),
    [
        ("corp", "index.corp", True),
        (".corp", "index.corp", True),
        ("*.corp", "index.corp", True),
        ("index.corp", "index.corp", True),
        ("index.corp:443", "index.corp", True),
        ("index.corp:80", "index.corp", False),
        ("dex.corp", "index.corp", False),
        ("*", "anything", True),
        ("10.0.0.0/8", "10.1.2.3", True),
        ("10.0.0.0/8", "11.1.2.3", False),
        ("x, corp", "index.corp", True),
        ("", "index.corp", False),
        ("", "localhost", True),
        ("", "127.0.0.2", True),
        ("", "::1", True),
    ],
)
def test_who_is_reached_without_it(listed: str, host: str, *, is_direct: bool):
    found = upstream_of({"all_proxy": "http://proxy.corp:3128", "NO_PROXY": listed})

    assert (found.via(place(host), tunnel=True) is None) is is_direct
