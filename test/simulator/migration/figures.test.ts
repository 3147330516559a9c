// Tests the words for sizes and durations, and the reading of maps and endpoints.
import assert from "node:assert/strict";
import { readConfig, writeConfig } from "../../../simulator/migration/configText.js";
import { parseEndpoint } from "../../../simulator/migration/endpoint.js";
import { clockDuration, copiedLine, renderBytes, renderDuration } from "../../../simulator/migration/figures.js";
import { mapId, parseIdMap } from "../../../simulator/migration/idMap.js";

describe("migration figures", () => {
  const copies: [bytes: number, seconds: number, line: string][] = [
    [98_320_384, 1, "98320384 bytes (98 MB, 94 MiB) copied, 1 s, 98.3 MB/s"],
    [210_030_592, 2, "210030592 bytes (210 MB, 200 MiB) copied, 2 s, 105 MB/s"],
    [268_435_456, 2.5198, "268435456 bytes (268 MB, 256 MiB) copied, 2.5198 s, 107 MB/s"],
    [1_074_135_040, 11.9375, "1074135040 bytes (1.1 GB, 1.0 GiB) copied, 11.9375 s, 90.0 MB/s"],
  ];
  for (const [bytes, seconds, line] of copies) {
    it(`copied ${bytes} in ${seconds} s`, () => assert.equal(copiedLine(bytes, seconds), line));
  }

  it("renders bytes and durations as Proxmox VE does", () => {
    assert.deepEqual([0, 1023, 1024, 89_128_960].map(renderBytes), ["0.0 B", "1023.0 B", "1.0 KiB", "85.0 MiB"]);
    assert.deepEqual([0, 59, 65, 3661, 90_061].map(renderDuration), ["0s", "59s", "1m 5s", "1h 1m 1s", "1d 1h 1m 1s"]);
    assert.deepEqual([0, 61.9, 3661].map(clockDuration), ["00:00:00", "00:01:01", "01:01:01"]);
  });
});

describe("migration maps", () => {
  it("takes pairs and a default", () => {
    const map = parseIdMap("a:b,c:d,e");
    assert.deepEqual(
      ["a", "c", "x"].map((id) => mapId(map, id)),
      ["b", "d", "e"],
    );
    assert.equal(mapId(parseIdMap("a:b"), "x"), "x");
    assert.equal(parseIdMap("1").identity, true);
  });

  const broken: [text: string, words: string][] = [
    ["a:b,a:c", "duplicate mapping for source 'a'"],
    ["a,b", "default target ID can only be provided once"],
    ["1,a", "identity mapping cannot be combined with other mappings"],
  ];
  for (const [text, words] of broken) {
    it(`refuses ${text}`, () => assert.throws(() => parseIdMap(text), new Error(words)));
  }
});

describe("migration texts", () => {
  it("reads an endpoint whose token has equals signs", () => {
    assert.deepEqual(parseEndpoint("apitoken=PVEAPIToken=root@pam!t=s,host=h,fingerprint=aa:bb"), {
      apiToken: "PVEAPIToken=root@pam!t=s",
      host: "h",
      port: 8006,
      fingerprint: "AA:BB",
    });
  });

  it("writes a configuration that reads back the same", () => {
    const config = {
      name: "a",
      memory: "512",
      description: "first: 100%\nsecond – ü",
      net0: "virtio=BC:24:11:00:00:01,bridge=vmbr0",
    };
    assert.deepEqual(readConfig(writeConfig(config)), config);
  });
});
