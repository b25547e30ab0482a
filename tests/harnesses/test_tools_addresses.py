import pytest

from harnesses.tools.addresses import checked_page_address
from harnesses.tools.tool import BadArgumentsError

PRIVATE = [
    "http://localhost/",
    "http://localhost:8080/x",
    "localhost:8080",
    "http://LOCALHOST./",
    "http://a.localhost/",
    "http://printer.local/",
    "http://metadata.google.internal/computeMetadata",
    "http://router.home.arpa/",
    "http://intranet/",
    "http://127.0.0.1/",
    "http://127.1/",
    "http://127.0.1/",
    "http://2130706433/",
    "http://0x7f000001/",
    "http://0x7f.0.0.1/",
    "http://0177.0.0.1/",
    "http://017700000001/",
    "http://0/",
    "http://0.0.0.0/",
    "http://10.1.2.3/",
    "http://172.16.0.1/",
    "http://192.168.0.1/",
    "http://100.64.0.1/",
    "http://169.254.169.254/latest/meta-data",
    "http://0xA9FEA9FE/",
    "http://224.0.0.1/",
    "http://240.0.0.1/",
    "http://255.255.255.255/",
    "http://192.0.2.1/",
    "http://127.0.0.1./",
    "http://①②⑦.0.0.1/",
    "http://127。0。0。1/",
    "http://1.2.3.4.5/",
    "http://1.2.3.256/",
    "http://300.1/",
    "http://08.1.1.1/",
    "http://1.x.2/",
    "http://0x/",
    "http://[::1]/",
    "http://[::]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:7f00:1]/",
    "http://[::127.0.0.1]/",
    "http://[64:ff9b::7f00:1]/",
    "http://[2002:7f00:1::]/",
    "http://[2001:0:5ef5:79fd::1]/",
    "http://[fe80::1]/",
    "http://[fec0::1]/",
    "http://[feff::1]/",
    "http://[fc00::1]/",
    "http://[fd12::1]/",
    "http://[v1.a:b]/",
    "http://[ff02::1]/",
    "http://[2001:db8::1]/",
    "https://./",
    "http://x.default.svc/",
    "http://x.default.svc.cluster.local/",
    "http://wiki.corp/",
    "http://wiki.corp./",
    "http://WIKI.CORP/",
    "http://vault.service.consul/",
    "http://printer.home/",
    "http://a.private/",
    "http://a.lan/",
    "http://a.intranet/",
    "http://a.intra/",
    "http://a.example/",
    "http://a.invalid/",
    "http://a.localdomain/",
    "http://a.internal/",
    "http://a.home.arpa/",
    "http://home.arpa/",
    "http://a.onion/",
    "http://a.node1/",
    "http://a.b/",
]


@pytest.mark.parametrize("url", PRIVATE)
def test_a_private_address_is_refused(url: str) -> None:
    with pytest.raises(BadArgumentsError, match="does not lead to the public internet"):
        checked_page_address(url, allow_private=False)


@pytest.mark.parametrize("url", ["http://127.0.0.1:8000/a", "http://printer.local/", "http://[::1]/"])
def test_a_private_address_passes_where_it_is_allowed(url: str) -> None:
    assert checked_page_address(url, allow_private=True) == url


@pytest.mark.parametrize("allow_private", [False, True])
@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("file:///etc/passwd", "only http and https"),
        ("ftp://example.com/a", "only http and https"),
        ("javascript:alert(1)", "only http and https"),
        ("data:text/html,x", "only http and https"),
        ("local://a.md", "only http and https"),
        ("http://example.com@127.0.0.1/", "carries a user name"),
        ("http://user:secret@example.com/", "carries a user name"),
        ("http://example.com%40127.0.0.1/", "carries a user name"),
        ("http://127.0.0.1%00.example.com", "its host holds a percent sign"),
        ("http://%31%32%37.0.0.1/", "its host holds a percent sign"),
        ("http://example.com%2f.a.com/", "its host holds a percent sign"),
        ("http://[fe80::1%25eth0]/", "its host holds a percent sign"),
        ("http://127.0.0.1\x9f.example.com/", "a character that cannot be seen"),
        ("http://127.0.0\N{SOFT HYPHEN}.1/", "a character that cannot be seen"),
        ("http://local\N{ZERO WIDTH SPACE}host.com/", "a character that cannot be seen"),
        ("http://127.0.0.1\N{VARIATION SELECTOR-16}/", "a character that cannot be seen"),
        ("http:example.com", "names no host"),
        ("http:///etc/passwd", "names no host"),
        ("http://example.com\\@127.0.0.1/", "holds a character"),
        ("http://exa\tmple.com/", "holds a character"),
        ("http://exa mple.com/", "holds a character"),
        ("http://example.com/a\r\nX-Evil: 1", "holds a character"),
        ("http://[::1/", "cannot be read"),
        ("http://example.com:99999/", "cannot be read"),
        ("http://example.com:x/", "cannot be read"),
        ("http://exa\N{FULLWIDTH SOLIDUS}mple.com/", "cannot be read"),
    ],
)
def test_an_address_of_another_form_is_always_refused(url: str, reason: str, allow_private: bool) -> None:
    with pytest.raises(BadArgumentsError, match=f"is refused: .*{reason}"):
        checked_page_address(url, allow_private=allow_private)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://example.com/a?b=1#c", "https://example.com/a?b=1#c"),
        (" http://example.com ", "http://example.com"),
        ("example.com/a", "https://example.com/a"),
        ("example.com:8080/a", "https://example.com:8080/a"),
        ("//example.com/a", "https://example.com/a"),
        ("https://example.com/a b", "https://example.com/a b"),
        ("https://北京.cn/", "https://北京.cn/"),
        ("https://例え.xn--zckzah/", "https://例え.xn--zckzah/"),
        ("https://भारत.भारत/", "https://भारत.भारत/"),
        ("https://corp.com/%20?q=%00", "https://corp.com/%20?q=%00"),
        ("https://my_page.home.com./", "https://my_page.home.com./"),
        ("http://8.8.8.8/", "http://8.8.8.8/"),
        ("http://[2606:4700::1111]/", "http://[2606:4700::1111]/"),
        ("http://local.example.com/", "http://local.example.com/"),
        ("https://a.com/?u=http://127.0.0.1/", "https://a.com/?u=http://127.0.0.1/"),
        ("HTTPS://Example.com/A", "HTTPS://Example.com/A"),
    ],
)
def test_a_public_address_passes(url: str, expected: str) -> None:
    assert checked_page_address(url, allow_private=False) == expected


def test_a_refusal_does_not_repeat_a_long_address_whole() -> None:
    with pytest.raises(BadArgumentsError) as refused:
        checked_page_address("file:///" + "a" * 5000, allow_private=False)
    assert len(str(refused.value)) < 300
