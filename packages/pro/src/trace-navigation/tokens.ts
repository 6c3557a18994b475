import { sha256 } from '@mem-service/server/module';

/**
 * Words of the index that stand for facts. A word of a text has letters, digits and marks only, so nothing that anybody writes
 * is taken for one of these.
 */
const SEPARATOR = '·';

/** What a fact is about. Never changed: indexes are made of these letters. */
const FACTS = { agent: 'g', outcome: 'o', error: 'e', model: 'm', tool: 't', attribute: 'a' } as const;
export type FactName = keyof typeof FACTS;

const hashOf = (text: string): string => sha256(text).slice(0, 20);

/** The word for a fact with this value. */
export const factToken = (name: FactName, value: string): string => `${FACTS[name]}${SEPARATOR}${hashOf(value)}`;

/** An attribute with its value: 1 and "1" are not the same. */
export const attributeToken = (key: string, value: unknown): string =>
  factToken('attribute', `${key.trim().toLowerCase()}=${JSON.stringify(value)}`);

/** The word for a part of the name of a span, of one kind or of any. */
export const spanToken = (word: string, kind: string | undefined): string =>
  `${kind === undefined ? 's' : `k${hashOf(kind).slice(0, 8)}`}${SEPARATOR}${word}`;

/** Stands before the name of each span, so that a phrase never reaches into the next one; there is one if there is a span. */
export const spanMark = (kind: string | undefined): string => spanToken('', kind);
