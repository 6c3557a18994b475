import { type OperationName, operationNames, operations } from '@mem-service/contract';
import type { JsonObject } from './schemas.ts';

/**
 * Operations on what this one made: those at its `Location` and below. The page at `/docs` follows the links, so that an
 * id in an answer is filled in where it is needed next.
 */
export function linksOf(name: OperationName): JsonObject {
  const { location } = operations[name].http as { location?: string };
  if (location === undefined || location.includes('?')) return {};
  const fields = [...location.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string);
  const parameters = Object.fromEntries(fields.map((field) => [field, `$response.body#/${field}`]));
  const below = operationNames.filter((other) => `${operations[other].http.path}/`.startsWith(`${location}/`));
  const links = below.map((other) => other.replaceAll('.', '_')).map((id) => [id, { operationId: id, parameters }]);
  return links.length === 0 ? {} : { links: Object.fromEntries(links) };
}
