/** What the documentation page makes of openapi.json: which operations it shows, in which order, and what it sends. */
type FieldSchema = { $ref?: string; type?: string; example?: unknown; default?: unknown };
type ShownField = { name: string; in: 'path' | 'query' | 'header'; example?: unknown; schema: FieldSchema };
type Link = { operationId: string; parameters: Record<string, string> };
type ShownDescription = {
  operationId: string;
  tags: string[];
  parameters: (ShownField | { $ref: string })[];
  requestBody?: { content: { 'application/json': { example: unknown } } };
  responses: Record<string, { links?: Record<string, Link> }>;
};
export type ApiDocument = {
  tags: { name: string }[];
  paths: Record<string, Record<string, ShownDescription>>;
  components: Record<string, Record<string, unknown>>;
};

export type ShownOperation = { id: string; method: string; path: string; described: ShownDescription };

/** Of so many operations Swagger UI draws only those in view. */
export const WHOLE_PAGE = { width: 1280, height: 24_000 };

/** The operations as the page lists them from top to bottom: by group, then as the document has them. */
export function shownOperations({ tags, paths }: ApiDocument): ShownOperation[] {
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({ id: described.operationId, method, path, described })),
  );
  return tags.flatMap(({ name }) => all.filter(({ described }) => described.tags[0] === name));
}

/** Values that answers have put into the fields of other operations, by `operation id.parameter`. */
export type FilledIn = Map<string, string>;

/** The request of a click on Execute, with nothing typed in. */
export function firstClick(document: ApiDocument, { id, method, path, described }: ShownOperation, filled: FilledIn) {
  const resolve = <T extends object>(part: T | { $ref: string }): T => {
    if (!('$ref' in part)) return part;
    const [, kind = '', name = ''] = (part.$ref as string).split('/').slice(1);
    return document.components[kind]?.[name] as T;
  };
  const headers: Record<string, string> = {};
  const query = new URLSearchParams();
  let address = path;
  for (const { name, in: where, example, schema } of described.parameters.map((part) => resolve<ShownField>(part))) {
    const { example: shown, default: preset } = { ...resolve<FieldSchema>(schema), ...schema };
    const value = filled.get(`${id}.${name}`) ?? example ?? shown ?? preset;
    if (value === undefined) continue;
    const text = Array.isArray(value) ? value.join(',') : String(value);
    if (where === 'path') address = address.replace(`{${name}}`, encodeURIComponent(text));
    else if (where === 'query') query.set(name, text);
    else headers[name] = text;
  }
  const body = described.requestBody?.content['application/json'].example;
  return {
    method: method.toUpperCase(),
    path: query.size > 0 ? `${address}?${query}` : address,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body, null, 2) }),
  };
}

/** Puts what an answer links to into the fields of those operations, as the page does. */
export function followLinks({ described }: ShownOperation, answer: { status: number; json: object }, filled: FilledIn) {
  for (const link of Object.values(described.responses[answer.status]?.links ?? {}))
    for (const [parameter, from] of Object.entries(link.parameters)) {
      const value = (answer.json as Record<string, unknown>)[from.replace('$response.body#/', '')];
      if (typeof value === 'string') filled.set(`${link.operationId}.${parameter}`, value);
    }
}
