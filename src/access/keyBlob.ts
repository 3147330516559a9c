// Decides whether the bytes of an OpenSSH public key are whole and right for their type (RFC 4253, RFC 5656, RFC 8709, PROTOCOL.u2f).
import { createPublicKey } from "node:crypto";

const ED25519_BYTES = 32;
/** What OpenSSH takes: a shorter modulus can be factored, a longer one is none of its own. */
const LEAST_MODULUS_BITS = 1024;
const MOST_MODULUS_BITS = 16_384;
const DSA_NUMBERS = 4;
/** The first byte of a point whose two coordinates follow. */
const UNCOMPRESSED = 4;

/** By the name of the curve in a key: that of JSON Web Keys, and the bytes of a coordinate. */
const CURVES: Readonly<Record<string, { readonly crv: string; readonly bytes: number }>> = {
  nistp256: { crv: "P-256", bytes: 32 },
  nistp384: { crv: "P-384", bytes: 48 },
  nistp521: { crv: "P-521", bytes: 66 },
};

type Check = (fields: readonly Buffer[]) => boolean;

/** By type: whether these are the fields that follow it. */
const CHECKS: Readonly<Record<string, Check>> = {
  "ssh-rsa": ([exponent, modulus, ...more]) => isNumber(exponent) && isModulus(modulus) && more.length === 0,
  "ssh-dss": (numbers) => numbers.length === DSA_NUMBERS && numbers.every(isNumber),
  "ssh-ed25519": ([key, ...more]) => key?.length === ED25519_BYTES && more.length === 0,
  "ecdsa-sha2-nistp256": isOnCurve("nistp256"),
  "ecdsa-sha2-nistp384": isOnCurve("nistp384"),
  "ecdsa-sha2-nistp521": isOnCurve("nistp521"),
  "sk-ssh-ed25519@openssh.com": ([key, application, ...more]) =>
    key?.length === ED25519_BYTES && isText(application) && more.length === 0,
  "sk-ecdsa-sha2-nistp256@openssh.com": ([curve, point, application, ...more]) =>
    isText(application) && isOnCurve("nistp256")([curve, point, ...more].filter((field) => field !== undefined)),
};

/** Types whose fields are numbers. */
const OF_NUMBERS: ReadonlySet<string> = new Set(["ssh-rsa", "ssh-dss"]);

/** A key, in the bytes that OpenSSH writes for it. */
interface KeyBlob {
  /** `ssh-ed25519` for instance. */
  readonly type: string;
  readonly blob: Buffer;
}

/** @returns null when the bytes are no key */
export function readKeyBlob(blob: Buffer): KeyBlob | null {
  const [name, ...fields] = fieldsOf(blob) ?? [];
  const type = name?.toString("latin1") ?? "";
  const check = Object.hasOwn(CHECKS, type) ? CHECKS[type] : undefined;
  if (name === undefined || check?.(fields) !== true) return null;
  return { type, blob: OF_NUMBERS.has(type) ? blobOf([name, ...fields.map(shortest)]) : blob };
}

/** A key consists of fields, each of which follows its length. @returns null when the bytes end within a field */
function fieldsOf(blob: Buffer): Buffer[] | null {
  const fields: Buffer[] = [];
  for (let at = 0; at < blob.length;) {
    if (at + 4 > blob.length) return null;
    const end = at + 4 + blob.readUInt32BE(at);
    if (end > blob.length) return null;
    fields.push(blob.subarray(at + 4, end));
    at = end;
  }
  return fields;
}

const blobOf = (fields: readonly Buffer[]): Buffer =>
  Buffer.concat(
    fields.flatMap((field) => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(field.length);
      return [length, field];
    }),
  );

/** The number without needless zeros: one stands before a first bit that would be a sign. */
function shortest(number: Buffer): Buffer {
  const first = number.findIndex((byte) => byte !== 0);
  if (first < 0) return Buffer.alloc(0);
  return number.subarray(((number[first] ?? 0) & 0x80) === 0 ? first : first - 1);
}

/** The first bit of a number is its sign. */
const isNumber = (field: Buffer | undefined): field is Buffer => field !== undefined && ((field[0] ?? 0) & 0x80) === 0;

function isModulus(field: Buffer | undefined): boolean {
  if (!isNumber(field)) return false;
  const first = field.findIndex((byte) => byte !== 0);
  if (first < 0) return false;
  const bits = (field.length - first) * 8 - Math.clz32(field[first] ?? 0) + 24;
  return bits >= LEAST_MODULUS_BITS && bits <= MOST_MODULUS_BITS;
}

const isText = (field: Buffer | undefined): boolean => field !== undefined && !field.includes(0);

function isOnCurve(name: keyof typeof CURVES): Check {
  return ([curve, point, ...more]) => {
    const form = CURVES[name];
    if (form === undefined || curve?.toString("latin1") !== name || point === undefined || more.length > 0)
      return false;
    const { crv, bytes } = form;
    if (point[0] !== UNCOMPRESSED || point.length !== 1 + 2 * bytes) return false;
    const [x, y] = [point.subarray(1, 1 + bytes), point.subarray(1 + bytes)].map((part) => part.toString("base64url"));
    try {
      createPublicKey({ key: { kty: "EC", crv, x, y }, format: "jwk" });
      return true;
    } catch {
      // OpenSSL takes no other points.
      return false;
    }
  };
}
