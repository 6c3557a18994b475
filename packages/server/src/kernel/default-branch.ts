import { type JsonObject, type Operation, type OperationName, operations } from '@mem-service/contract';
import type { z } from 'zod';
import { andThen } from './branch-lineages.ts';
import type { Caller } from './caller.ts';
import { HookContext, type Hooks } from './hooks.ts';
import type { Services } from './module.ts';
import { MAIN_BRANCH } from './view.ts';

type DefaultHook = NonNullable<Hooks['defaultBranch']>;
type DefaultHooks = { services: Services; hooks: readonly DefaultHook[] };

/** The branch of a call that names none: that of the client, else of the key, else of the agent, else `main`. */
export class DefaultBranches {
  #hooked: DefaultHooks | undefined;

  start(services: Services, hooks: readonly Hooks[]): void {
    this.#hooked = { services, hooks: hooks.flatMap(({ defaultBranch }) => defaultBranch ?? []) };
  }

  /** Returns a promise only where something has to be looked up. */
  of(caller: Caller, agentId: string = caller.agent_id): string | Promise<string> {
    const given = caller.branch ?? caller.key?.default_branch;
    if (given !== undefined || !this.#hooked) return given ?? MAIN_BRANCH;
    const { services, hooks } = this.#hooked;
    return hooks.length === 0 ? MAIN_BRANCH : askEach(hooks, agentId, new HookContext(services, caller));
  }
}

function askEach(hooks: readonly DefaultHook[], agentId: string, context: HookContext): string | Promise<string> {
  const [hook, ...rest] = hooks;
  if (!hook) return MAIN_BRANCH;
  return andThen(hook(agentId, context), (branch) => branch ?? askEach(rest, agentId, context));
}

const known = new Map<OperationName, boolean>();

/** Whether an input without `branch` is about one branch, and not about all. */
function takesDefault(name: OperationName): boolean {
  let takes = known.get(name);
  if (takes === undefined) {
    const { branch } = (operations[name].input as z.ZodObject).shape as Record<string, z.ZodType | undefined>;
    takes = branch?._zod.def.type === 'default';
    known.set(name, takes);
  }
  return takes;
}

export const namesNoBranch = (name: OperationName, raw: unknown): boolean =>
  takesDefault(name) && (raw as JsonObject | null | undefined)?.branch === undefined;

/** The agent that a call acts as: a write and a read on behalf of an agent may name it in their input. */
export function actingAgent(name: OperationName, input: JsonObject, { agent_id }: Caller): string {
  const { effect, acts_as_agent } = operations[name] as Operation;
  const isNamed = (effect === 'write' || acts_as_agent) && typeof input.agent_id === 'string';
  return isNamed ? (input.agent_id as string) : agent_id;
}
