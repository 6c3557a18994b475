import * as z from 'zod';

/** A name that people choose for something, to write it in addresses and commands. */
export const slug = (what: string, example: string) =>
  z
    .string()
    .max(64)
    .regex(/^[a-z0-9][a-z0-9_-]*$/, 'must begin with a lowercase letter or a digit and hold only a-z, 0-9, - and _')
    .meta({ description: `Names ${what}, in at most 64 characters.`, examples: [example] });
