import { describe, expect, it } from "vitest";
import { throughBroker } from "./broker-urls.js";

const publicUrl = "http://127.0.0.1:8090";
const api = "http://127.0.0.1:8090/api.example";
const answered = { host: "api.example", path: "/a/b?c=1", isLoopback: false };
const mask = (text: string) => text.replaceAll("s3cret", "<masked>");

/** Returns what becomes of a URL, in each of the headers. */
function urlFor(url: string, target = answered): string {
  const headers = { location: [url], "content-location": [url], link: [`<${url}>; rel="next"`] };
  const replaced = throughBroker(headers, { target, publicUrl }, mask);
  const { location: [location = ""] = [] } = replaced;
  expect(replaced).toEqual({
    location: [location],
    "content-location": [location],
    link: [`<${location}>; rel="next"`],
  });
  return location;
}

describe("a URL in Location, Content-Location and Link", () => {
  it.each([
    ["an absolute URL", "https://api.example/x?a=1&b=%2F#c", `${api}/x?a=1&b=%2F#c`],
    ["no path", "https://api.example", `${api}/`],
    ["upper case", "HTTPS://API.Example/X", `${api}/X`],
    ["the port of https", "https://api.example:443/x", `${api}/x`],
    ["no scheme", "//api.example/x", `${api}/x`],
    ["plain http", "http://api.example/x", `${api}/x`],
    ["another host without a scheme, which keeps that of the answer,", "//other.example/x", "https://other.example/x"],
    ["another host, after a backslash,", "/\\other.example/x", "https://other.example/x"],
    ["backslashes", "https:\\\\api.example\\x", `${api}/x`],
    ["backslashes and no scheme", "\\\\api.example\\x", `${api}/x`],
    ["spaces around it", " https://api.example/x ", `${api}/x`],
    ["a path with two slashes", "https://api.example//other.example/x", `${api}//other.example/x`],
    ["a path from the root", "/other?a=1", `${api}/other?a=1`],
    ["dot segments that would lead to another host of the broker", "../../other.example/x", `${api}/other.example/x`],
    ["encoded dot segments", "%2e%2e/%2E./other.example/x", `${api}/other.example/x`],
    ["a scheme without slashes", "https:api.example/x", `${api}/a/api.example/x`],
    ["UTF-8, as node:http reads it", Buffer.from("/é").toString("latin1"), `${api}/%C3%A9`],
    ["a secret, which is masked before it is encoded", "/x?key=s3cret", `${api}/x?key=%3Cmasked%3E`],
  ])("%s becomes one of the broker", (_, url, expected) => expect(urlFor(url)).toBe(expected));

  it.each([
    ["another host", "https://other.example/x"],
    ["another host, with this one in its name", "https://api.example.evil.example/x"],
    ["another host, with this one as its user", "https://api.example@evil.example/x"],
    ["this host, with a user", "https://ada@api.example/x"],
    ["this host, with a password", "https://:pass@api.example/x"],
    ["this host, on another port", "https://api.example:8443/x"],
    ["a path without a slash", "next?page=2"],
    ["dot segments that stay at the host", "../x"],
    ["a query", "?page=2"],
    ["a fragment", "#a"],
    ["another scheme", "mailto:ada@api.example"],
    ["no URL", "https://[::1"],
  ])("%s stays", (_, url) => expect(urlFor(url)).toBe(url));

  it.each([
    ["[2606:4700::1111]", "https://[2606:4700:0:0::1111]/x", false],
    ["[2606:4700::1111]:8443", "https://[2606:4700::1111]:8443/x", false],
    ["api.example:8443", "https://api.example:8443/x", false],
    ["[::1]:9", "http://[::1]:9/x", true],
    ["localhost:80", "http://localhost/x", true],
  ])("of the host %s: %s becomes one of the broker", (host, url, isLoopback) => {
    expect(urlFor(url, { host, path: "/", isLoopback })).toBe(`${publicUrl}/${host}/x`);
  });

  it.each([
    ["localhost:80", "https://localhost:80/x"],
    ["[::1]:9", "http://127.0.0.1:9/x"],
  ])("of the host %s on this machine, which is reached over http: %s stays", (host, url) => {
    expect(urlFor(url, { host, path: "/", isLoopback: true })).toBe(url);
  });
});

it("replaces each URL of a header Link, and nothing else in it", () => {
  const link = [
    '<https://api.example/x?page=2>; rel="next", <https://other.example/>; rel="help"; title="a < b, c", </y>;rel=last',
    "<https://api.example/z>",
  ];
  const headers = { link, etag: ['"https://api.example/x"'] };
  expect(throughBroker(headers, { target: answered, publicUrl }, mask)).toEqual({
    link: [
      `<${api}/x?page=2>; rel="next", <https://other.example/>; rel="help"; title="a < b, c", <${api}/y>;rel=last`,
      `<${api}/z>`,
    ],
    etag: headers.etag,
  });
});
