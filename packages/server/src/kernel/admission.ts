import { Fault, type JsonObject, type Operation, type OperationName, operations } from '@mem-service/contract';
import { type Authorize, authorizeKeyType } from './authorize.ts';
import { authorizeAgent } from './authorize-agent.ts';
import { authorizeScope } from './authorize-scope.ts';
import { authorizeSender } from './authorize-sender.ts';
import type { BranchPermission } from './branch-access.ts';
import { andThen, resolveLineage } from './branch-lineages.ts';
import type { Caller } from './caller.ts';
import { namesNoBranch } from './default-branch.ts';
import { HookContext, type Hooks } from './hooks.ts';
import { priceOf } from './metering.ts';
import type { Handler, Handlers, Services } from './module.ts';
import { parseInput } from './parse-input.ts';
import {
  authorizeInRoom,
  authorizeWriteInRoom,
  callerInRoom,
  enterRoom,
  inputInRoom,
  type RoomHook,
  roomNamedIn,
} from './rooms.ts';
import type { Usage } from './usage.ts';
import { type Lineage, MAIN_BRANCH, MAIN_LINEAGE } from './view.ts';

/** A call that may run: its handler, its parsed input, the lineage of its branch, and its caller, which may be in a room. */
export type Admission = { handler: Handler<OperationName>; input: never; lineage: Lineage; caller: Caller };

export type Admit = (name: OperationName, raw: unknown, caller: Caller) => Admission | Promise<Admission>;

const CHECKS: readonly Authorize[] = [authorizeKeyType, authorizeAgent, authorizeSender, authorizeScope];

type Parts = { handlers: Handlers; services: Services; hooks: readonly Hooks[]; usage: Usage };

type CheckedCall = { input: JsonObject; caller: Caller };
type CheckedBy = (
  name: OperationName,
  handler: Handler<OperationName>,
  call: CheckedCall,
) => Admission | Promise<Admission>;

/** The checks that every call must pass. Returns a promise only when a hook has to look something up. */
export function createAdmit({ handlers, services, hooks, usage }: Parts): Admit {
  services.branchAccess.start(services, hooks);
  services.defaultBranches.start(services, hooks);
  const admitted = createAdmitted({ services, hooks, usage });
  const rooms = hooks.find((hook) => hook.rooms)?.rooms;
  const inRoom = rooms && createInRoom(services, rooms, admitted);

  const check: CheckedBy = (name, handler, call) => {
    for (const check of CHECKS) check(name, call.input, call.caller);
    return admitted(name, handler, call);
  };

  return (name, raw, caller) => {
    const operation = operations[name] as Operation | undefined;
    const handler = handlers[name] as Handler<OperationName> | undefined;
    if (!operation) throw new Fault('route_not_found', `there is no operation ${name}`);
    if (!handler) throw missingModule(name, operation);
    const parsed = parseInput(operation.input, raw) as JsonObject | Promise<JsonObject>;
    const isOpen = namesNoBranch(name, raw);
    return andThen(parsed, (input) => {
      const room = inRoom && roomNamedIn(name, input);
      if (inRoom && room !== undefined) return inRoom(name, handler, { input, caller, room });
      if (!isOpen) return check(name, handler, { input, caller });
      return andThen(services.defaultBranches.forCall(name, input, caller), (branch) => {
        input.branch = branch;
        return check(name, handler, { input, caller });
      });
    });
  };
}

/** The caller's own account is asked what its key allows, and the room whether it may enter. */
const createInRoom =
  (services: Services, rooms: RoomHook, admitted: CheckedBy) =>
  async (name: OperationName, handler: Handler<OperationName>, call: CheckedCall & { room: string }) => {
    const { input, caller, room } = call;
    for (const check of CHECKS) check(name, input, caller);
    authorizeInRoom(name, room, caller);
    const member = await enterRoom({ rooms, services }, name, call);
    authorizeWriteInRoom(rooms, name, { input, member });
    return admitted(name, handler, { input: inputInRoom(input, member), caller: callerInRoom(caller, member) });
  };

/** What a call needs that passed the checks: its branch, and what modules say. */
function createAdmitted({ services, hooks, usage }: Omit<Parts, 'handlers'>): CheckedBy {
  const lineages = hooks.flatMap(({ lineage }) => lineage ?? []);
  const authorizes = hooks.flatMap(({ authorize }) => authorize ?? []);

  return (name, handler, { input, caller }) => {
    const operation: Operation = operations[name];
    const branch = input.branch as string | undefined;
    const isMain = branch === undefined || branch === MAIN_BRANCH;
    const others = caller.key && operation.branches_in ? namedBranches(operation.branches_in, input) : NONE;
    if (isMain && authorizes.length === 0 && others.length === 0) {
      usage.charge(priceOf(name, input).cost);
      return { handler, input: input as never, lineage: MAIN_LINEAGE, caller };
    }
    const context = new HookContext(services, caller);
    const admission = (lineage: Lineage): Admission | Promise<Admission> => {
      if (operation.effect === 'write') refuseReadOnly(lineage, branch);
      return andThen(askEach(authorizes, name, { input, context }), () => {
        usage.charge(priceOf(name, input).cost);
        return { handler, input: input as never, lineage, caller };
      });
    };
    const accessible = (lineage: Lineage): Admission | Promise<Admission> => {
      const permission = operation.effect === 'write' ? 'read_write' : 'read';
      const own = services.branchAccess.requireRef(caller, { ref: branch ?? MAIN_BRANCH, lineage, permission });
      return andThen(own, () => andThen(requireEach(others, context), () => admission(lineage)));
    };
    return isMain ? accessible(MAIN_LINEAGE) : andThen(resolveLineage(lineages, branch, context), accessible);
  };

  /** Access to the branches that an input names besides its own. */
  function requireEach(others: readonly NamedBranch[], context: HookContext): void | Promise<void> {
    const [other, ...rest] = others;
    if (!other) return undefined;
    return andThen(resolveLineage(lineages, other.ref, context), (lineage) => {
      const asked = services.branchAccess.requireRef(context.caller, { ...other, lineage });
      return andThen(asked, () => requireEach(rest, context));
    });
  }
}

type NamedBranch = { ref: string; permission: BranchPermission };
const NONE: readonly NamedBranch[] = [];

const namedBranches = (fields: NonNullable<Operation['branches_in']>, input: JsonObject): NamedBranch[] =>
  Object.entries(fields).flatMap(([field, permission]) => {
    const ref = input[field];
    return typeof ref === 'string' && ref !== MAIN_BRANCH ? [{ ref, permission }] : [];
  });

const missingModule = (name: string, { module }: Operation): Fault =>
  new Fault(
    'module_not_installed',
    `${name} needs the module ${module}: install the package @mem-service/pro beside the server, and do not set MEM_PRO=off`,
    { module },
  );

function refuseReadOnly(lineage: Lineage, branch: string | undefined): void {
  if (lineage[0]?.up_to_seq !== null)
    throw new Fault('branch_read_only', `the branch ${JSON.stringify(branch)} can only be read`, { branch });
}

type AuthorizeHook = NonNullable<Hooks['authorize']>;
type AdmittedCall = { input: Record<string, unknown>; context: HookContext };

function askEach(hooks: readonly AuthorizeHook[], name: OperationName, asked: AdmittedCall): void | Promise<void> {
  for (let i = 0; i < hooks.length; i++) {
    const answer = hooks[i]?.(name, asked.input, asked.context);
    if (answer instanceof Promise) return answer.then(() => askEach(hooks.slice(i + 1), name, asked));
  }
}
