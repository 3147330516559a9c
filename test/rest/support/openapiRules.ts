// The rules of OpenAPI 3.1 for the objects that the description of REST v1 uses; anything else in one of them is refused.
import { z } from "zod";

const text = z.string().min(1);
const name = z.string().regex(/^[a-zA-Z0-9._-]+$/);
const schema = z.looseObject({});
const reference = z.strictObject({ $ref: z.string().startsWith("#/components/") });
const content = z.record(z.string().regex(/^[\w.+-]+\/[\w.+-]+$/), z.strictObject({ schema }));
const header = z.strictObject({ description: text, required: z.boolean().optional(), schema });
const response = z.strictObject({
  description: z.string(),
  headers: z.record(text, z.union([reference, header])).optional(),
  content: content.optional(),
});
const parameter = z.discriminatedUnion("in", [
  z.strictObject({ name: text, in: z.literal("path"), required: z.literal(true), description: text, schema }),
  z.strictObject({ name: text, in: z.literal("query"), required: z.boolean(), description: text, schema }),
]);
const security = z.array(z.record(name, z.array(z.string()))).min(1);
const operation = z.strictObject({
  operationId: z.string().regex(/^[a-z][A-Za-z]*$/),
  tags: z.array(text),
  summary: text,
  description: text.optional(),
  security: security.optional(),
  parameters: z.array(parameter).optional(),
  requestBody: z.strictObject({ description: text.optional(), required: z.boolean(), content }).optional(),
  responses: z
    .record(z.string().regex(/^([1-5]\d\d|default)$/), z.union([reference, response]))
    .refine((responses) => Object.keys(responses).some((status) => status.startsWith("2")), "names a success"),
});
const item = z.strictObject({
  get: operation.optional(),
  post: operation.optional(),
  delete: operation.optional(),
});

export const openApi = z.strictObject({
  openapi: z.string().regex(/^3\.1\.\d+$/),
  info: z.strictObject({ title: text, version: text, description: text }),
  servers: z.array(z.strictObject({ url: text, description: text })),
  security,
  tags: z.array(z.strictObject({ name: text, description: text })),
  paths: z.record(z.string().startsWith("/"), item),
  components: z.strictObject({
    schemas: z.record(name, schema),
    responses: z.record(name, response),
    headers: z.record(name, header),
    securitySchemes: z.record(
      name,
      z.strictObject({ type: z.literal("http"), scheme: z.literal("bearer"), description: text }),
    ),
  }),
});
