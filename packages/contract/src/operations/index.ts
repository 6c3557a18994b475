import type { z } from 'zod';
import { commits } from './commits.ts';
import { counts } from './counts.ts';
import { entries } from './entries.ts';
import { log } from './log.ts';
import { search } from './search.ts';
import { system } from './system.ts';
import { upkeep } from './upkeep.ts';

/** The table. Routes, OpenAPI, SDK methods, CLI commands and the derived tests all come from it. */
export const operations = { ...entries, ...upkeep, ...search, ...commits, ...counts, ...log, ...system };

export type Operations = typeof operations;
export type OperationName = keyof Operations;
/** What a handler receives: parsed, with defaults filled in. */
export type Input<N extends OperationName> = z.output<Operations[N]['input']>;
/** What a caller sends. */
export type Request<N extends OperationName> = z.input<Operations[N]['input']>;
export type Output<N extends OperationName> = z.input<Operations[N]['output']>;

export const operationNames = Object.keys(operations) as OperationName[];
