import type { JsonObject } from '@mem-service/contract';

const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null;
/** Reads a member of an answer, which may hold anything. */
export const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {});
export const listOf = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.map(objectOf) : []);
export const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
export const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);
