/** A JSON object with unknown members. */
export type JsonObject = Record<string, unknown>;
