import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { shapes } from '@mem-service/contract';
import * as z from 'zod';
import type { AgentDetails } from './session.ts';

/** A name, and what the agent said of itself. */
export type KeptIdentity = { name: string; details: AgentDetails };

/** The file holds the name in its first line, and in its second the details as JSON. */
export function writeIdentity(file: string, { name, details }: KeptIdentity): void {
  const more = Object.keys(details).length === 0 ? '' : `${JSON.stringify(details)}\n`;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, `${name}\n${more}`, { mode: 0o600 });
}

/** Undefined where there is none, or what is there is not valid. */
export function readIdentity(file: string): KeptIdentity | undefined {
  try {
    const [first = '', second = '{}'] = readFileSync(file, 'utf8').trim().split('\n');
    const name = shapes.agentId.safeParse(first);
    return name.success ? { name: name.data, details: detailsOf(second) } : undefined;
  } catch {
    return undefined;
  }
}

const text = z.string().optional().catch(undefined);
const detailsShape = z
  .object({ model: text, client_name: text, tools_available: z.array(z.string()).optional().catch(undefined) })
  .catch({});

function detailsOf(line: string): AgentDetails {
  try {
    return definedMembers(detailsShape.parse(JSON.parse(line)));
  } catch {
    return {};
  }
}

export const definedMembers = (details: AgentDetails): AgentDetails =>
  Object.fromEntries(Object.entries(details).filter(([, value]) => value !== undefined));
