/** A JSON object of which nothing is known but that it is one. */
export type JsonObject = Record<string, unknown>;
