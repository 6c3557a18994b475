import { type JsonObject, type Operation, type OperationName, operations } from '@mem-service/contract';
import type { z } from 'zod';
import { andThen } from './branch-lineages.ts';
import type { Caller } from './caller.ts';
import { HookContext, type Hooks } from './hooks.ts';
import type { Services } from './module.ts';
import { sessionName } from './session-name.ts';
import { MAIN_BRANCH } from './view.ts';

type DefaultHook = NonNullable<Hooks['defaultBranch']>;
type SessionHook = NonNullable<Hooks['sessionBranch']>;
type SessionHooks = { hasBranches: NonNullable<Hooks['hasBranches']>; sessionBranch: SessionHook };
type DefaultHooks = { services: Services; hooks: readonly DefaultHook[]; ofSession: SessionHooks | undefined };

/**
 * The branch of a call that names none: that of the client, else, where the call ends a session, of the session, else of the
 * key, else of the agent, else `main`.
 */
export class DefaultBranches {
  #hooked: DefaultHooks | undefined;

  start(services: Services, hooks: readonly Hooks[]): void {
    const [hasBranches] = hooks.flatMap((hook) => hook.hasBranches ?? []);
    const [sessionBranch] = hooks.flatMap((hook) => hook.sessionBranch ?? []);
    const ofSession = hasBranches && sessionBranch && { hasBranches, sessionBranch };
    this.#hooked = { services, hooks: hooks.flatMap(({ defaultBranch }) => defaultBranch ?? []), ofSession };
  }

  /** The branch of an operation that names none. */
  forCall(name: OperationName, input: JsonObject, caller: Caller): string | Promise<string> {
    const agent_id = actingAgent(name, input, caller);
    const { services, ofSession } = this.#hooked ?? {};
    const isEnd = (operations[name] as Operation).seals !== undefined && caller.branch === undefined;
    if (!isEnd || !ofSession || !services) return this.of(caller, agent_id);
    const session = sessionName((input.session_id as string | undefined) ?? caller.session_id, caller);
    const context = new HookContext(services, caller);
    const asked = andThen(ofSession.hasBranches(context), (hasBranches) =>
      hasBranches ? ofSession.sessionBranch({ agent_id, session }, context) : undefined,
    );
    return andThen(asked, (branch) => branch ?? this.of(caller, agent_id));
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
function actingAgent(name: OperationName, input: JsonObject, { agent_id }: Caller): string {
  const { effect, acts_as_agent } = operations[name] as Operation;
  const isNamed = (effect === 'write' || acts_as_agent) && typeof input.agent_id === 'string';
  return isNamed ? (input.agent_id as string) : agent_id;
}
