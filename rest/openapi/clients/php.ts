// Writes the PHP client, for billing systems: a method for each operation, with array shapes that PHPStan and editors read.
import type { OpenApiDocument } from "../document.js";
import { nameOfRef, type JsonSchema } from "../jsonSchema.js";
import { camelCase, clientCalls, isOptional, type ClientCall } from "./clientCall.js";

const FAILURES: ReadonlySet<string> = new Set(["Failure", "ShortFailure"]);

/** The whole file. */
export function phpClient(document: OpenApiDocument): string {
  const types = Object.entries(document.components.schemas)
    .filter(([name]) => !FAILURES.has(name))
    .map(([name, schema]) => ` * @phpstan-type ${name} ${typeOf(schema)}`);
  const methods = clientCalls(document).map(methodOf);
  return `${HEAD}\n/**\n * The service, seen with one API token.\n *\n${types.join("\n")}\n */\n${CONNECTION}\n${methods.join("\n\n")}\n\n${CALLING}`;
}

/** The type of a value as PHPDoc writes it. */
function typeOf(schema: JsonSchema): string {
  const name = nameOfRef(schema);
  if (name !== null) return name;
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join("|");
  if (schema.enum !== undefined) return schema.enum.map(literalOf).join("|");
  if (schema.properties !== undefined) return shapeOf(schema);
  if (schema.items !== undefined) return `list<${typeOf(schema.items)}>`;
  return [schema.type ?? "mixed"].flat().map(plainTypeOf).join("|");
}

const literalOf = (value: unknown): string => (typeof value === "string" ? `'${value}'` : String(value));

function shapeOf({ properties = {}, required = [] }: JsonSchema): string {
  const fields = Object.entries(properties).map(
    ([name, schema]) => `${name}${required.includes(name) ? "" : "?"}: ${typeOf(schema)}`,
  );
  return `array{${fields.join(", ")}}`;
}

const PLAIN: ReadonlyMap<string, string> = new Map([
  ["integer", "int"],
  ["number", "int|float"],
  ["boolean", "bool"],
  ["object", "array<string, mixed>"],
]);

const plainTypeOf = (type: string): string => PLAIN.get(type) ?? type;

/** The type as PHP itself checks it. */
const nativeTypeOf = ({ type }: JsonSchema): string => (type === "integer" ? "int" : "string");

function methodOf({ name, method, path, summary, inPath, query, body, data, isPage }: ClientCall): string {
  const given = [
    ...(query === null ? [] : [{ name: "query", schema: query }]),
    ...(body === null ? [] : [{ name: "body", schema: body }]),
  ];
  const values = [
    ...inPath.map((value) => `${nativeTypeOf(value.schema)} $${camelCase(value.name)}`),
    ...given.map((part) => `array $${part.name}${isOptional(part.schema) ? " = []" : ""}`),
  ];
  const result = isPage ? `array{items: ${typeOf(data)}, meta: PageMeta}` : typeOf(data);
  const lines = [
    `${summary}. ${method} ${path}`,
    "",
    ...inPath.map(
      ({ name: value, schema, description }) => `@param ${typeOf(schema)} $${camelCase(value)} ${description}`,
    ),
    ...given.map((part) => `@param ${shapeOf(part.schema)} $${part.name}`),
    `@return ${result}`,
    "@throws DroverException",
  ];
  const sent = [query === null ? "[]" : "$query", body === null ? "null" : "$body"].join(", ");
  return `    /**
${lines.map((line) => `     * ${line}`.trimEnd()).join("\n")}
     */
    public function ${name}(${values.join(", ")}): array
    {
        return $this->${isPage ? "page" : "record"}('${method}', ${targetOf(path)}, ${sent});
    }`;
}

/** The path as a PHP expression, its values encoded. */
function targetOf(path: string): string {
  const parts = path.split(/(\{\w+\})/).filter((part) => part !== "");
  return parts
    .map((part) => (part.startsWith("{") ? `rawurlencode((string) $${camelCase(part.slice(1, -1))})` : `'${part}'`))
    .join(" . ");
}

const HEAD = `<?php

// Client of Drover's REST v1 for PHP 7.4 and newer with the extensions curl and json. Written from the OpenAPI document, not by hand.

declare(strict_types=1);

namespace Drover;

/** A refusal: the code is the HTTP status (0: the service was not reached), the message says what is wrong. */
final class DroverException extends \\RuntimeException
{
    /** Seconds after which a 429 or a 503 may be over; null otherwise. */
    public ?int $retryAfterSeconds;

    public function __construct(string $message, int $status, ?int $retryAfterSeconds = null)
    {
        parent::__construct($message, $status);
        $this->retryAfterSeconds = $retryAfterSeconds;
    }
}
`;

const CONNECTION = `final class Drover
{
    private string $base;
    private string $token;
    private int $timeoutSeconds;

    /** @param string $url where the service is, such as https://panel.example.com */
    public function __construct(string $url, string $token, int $timeoutSeconds = 60)
    {
        $this->base = rtrim($url, '/') . '/api/v1';
        $this->token = $token;
        $this->timeoutSeconds = $timeoutSeconds;
    }

    /**
     * Every record of a list: $drover->all(fn (array $page) => $drover->guests(1, $page)).
     *
     * @param callable(array{page: int, perPage: int}): array{items: list<mixed>, meta: PageMeta} $list
     */
    public function all(callable $list): \\Generator
    {
        for ($page = 1, $seen = 0, $total = 1; $seen < $total; $page++) {
            ['items' => $items, 'meta' => $meta] = $list(['page' => $page, 'perPage' => 200]);
            if ($items === []) {
                return;
            }
            foreach ($items as $item) {
                yield $item;
            }
            $seen += count($items);
            $total = $meta['total'];
        }
    }

    /**
     * Asks for a job every few seconds until it is done or failed; the caller looks at its status.
     *
     * @return Job
     * @throws DroverException 408 when it takes too long
     */
    public function waitForJob(int $hostId, int $jobId, int $everySeconds = 3, int $atMostSeconds = 3600): array
    {
        $deadline = time() + $atMostSeconds;
        while (true) {
            $job = $this->job($hostId, $jobId);
            if ($job['status'] === 'done' || $job['status'] === 'failed') {
                return $job;
            }
            if (time() >= $deadline) {
                throw new DroverException("Job $jobId is still {$job['status']}", 408);
            }
            sleep($everySeconds);
        }
    }
`;

const CALLING = `    private function record(string $method, string $path, array $query, ?array $body): array
    {
        $envelope = $this->call($method, $path, $query, $body);
        if (!is_array($envelope['data'] ?? null)) {
            throw new DroverException('The answer has no data', 502);
        }
        return $envelope['data'];
    }

    private function page(string $method, string $path, array $query, ?array $body): array
    {
        $envelope = $this->call($method, $path, $query, $body);
        if (!is_array($envelope['data'] ?? null) || !isset($envelope['meta'])) {
            throw new DroverException('The answer is no list', 502);
        }
        return ['items' => $envelope['data'], 'meta' => $envelope['meta']];
    }

    private function call(string $method, string $path, array $query, ?array $body): array
    {
        $retryAfter = null;
        $headers = ['Authorization: Bearer ' . $this->token, 'Accept: application/json'];
        $curl = curl_init($this->base . $path . '?' . http_build_query($query));
        if ($body !== null) {
            $headers[] = 'Content-Type: application/json';
            curl_setopt($curl, CURLOPT_POSTFIELDS, json_encode((object) $body, JSON_THROW_ON_ERROR));
        }
        curl_setopt_array($curl, [
            CURLOPT_CUSTOMREQUEST => $method,
            CURLOPT_HTTPHEADER => $headers,
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_TIMEOUT => $this->timeoutSeconds,
            CURLOPT_HEADERFUNCTION => static function ($curl, string $line) use (&$retryAfter): int {
                if (stripos($line, 'retry-after:') === 0) {
                    $retryAfter = (int) trim(substr($line, 12));
                }
                return strlen($line);
            },
        ]);
        $text = curl_exec($curl);
        if (!is_string($text)) {
            throw new DroverException('The service was not reached: ' . curl_error($curl), 0);
        }
        return self::read($text, (int) curl_getinfo($curl, CURLINFO_RESPONSE_CODE), $retryAfter);
    }

    /** A proxy in between may answer something else than the service would. */
    private static function read(string $text, int $status, ?int $retryAfter): array
    {
        $envelope = json_decode($text, true);
        if (!is_array($envelope)) {
            throw new DroverException("The answer ($status) is no JSON", $status, $retryAfter);
        }
        if ($status < 200 || $status > 299) {
            throw new DroverException((string) ($envelope['error'] ?? "HTTP $status"), $status, $retryAfter);
        }
        return $envelope;
    }
}
`;
