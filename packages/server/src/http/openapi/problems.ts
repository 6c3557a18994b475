import {
  Fault,
  type FaultCode,
  faultCodes,
  type HttpMethod,
  type Operation,
  type OperationName,
  operations,
} from '@mem-service/contract';
import type { JsonObject } from './schemas.ts';

/** Codes that any operation may return. */
const ALWAYS: readonly FaultCode[] = ['invalid_input', 'rate_limited', 'internal', 'unavailable', 'storage_damaged'];
const WITH_BODY: readonly FaultCode[] = ['invalid_json', 'body_too_large', 'unsupported_media_type'];
const WITH_KEY: readonly FaultCode[] = ['unauthenticated', 'forbidden'];
/** Codes of a hosted service that enforces plans. */
const METERED: readonly FaultCode[] = ['plan_required', 'quota_exceeded'];
/** Codes of a hosted service, whose plans bound storage, sessions and streams. */
const BOUNDED: readonly FaultCode[] = ['over_limit', 'too_many_open'];
const WITH_WRITE: readonly FaultCode[] = ['answer_erased', 'idempotency_mismatch', 'read_only', 'storage_full'];
/** Codes of a server that only reads. */
const OF_REPLICA: readonly FaultCode[] = ['replica_behind'];
/** Codes of an operation that names a branch, and of a write to one. */
const OF_BRANCH: readonly FaultCode[] = ['branch_access_denied'];
const ON_BRANCH: readonly FaultCode[] = ['branch_read_only', 'branch_closed', 'branch_protected'];

/** Whether requests with this method have their input in the body. */
export const hasBody = (method: HttpMethod): boolean => method !== 'GET' && method !== 'DELETE';

export function errorsOf(name: OperationName, method: HttpMethod = operations[name].http.method): FaultCode[] {
  const operation: Operation = operations[name];
  return [
    ...new Set([
      ...operation.errors,
      ...(hasBody(method) ? WITH_BODY : []),
      ...(operation.open ? [] : WITH_KEY),
      ...(operation.effect === 'write' ? [...WITH_WRITE, ...BOUNDED] : []),
      ...(operation.errors.includes('branch_not_found') ? OF_BRANCH : []),
      ...(operation.effect === 'write' && operation.errors.includes('branch_not_found') ? ON_BRANCH : []),
      ...(operation.effect === 'read' ? OF_REPLICA : []),
      ...(operation.cost > 0 ? METERED : []),
      ...ALWAYS,
    ]),
  ];
}

/** Members that a code adds to those of every problem. */
const DETAILS: Partial<Record<FaultCode, JsonObject>> = {
  not_found: { entity_path: 'checkout/payments', key: 'retry-policy' },
  branch_not_found: { branch: 'experiment/new' },
  module_not_installed: { module: 'tags' },
  branch_access_denied: { branch: 'experiment/new', permission: 'read_write' },
  branch_closed: { branch: 'experiment/old', status_of_branch: 'merged' },
  branch_protected: { branch: 'release' },
  branch_read_only: { branch: 'experiment/old@1200' },
  merge_conflicts: {
    merge_id: 'merge-retries',
    conflicts: 1,
    hidden: 0,
    conflicting: [{ entity_path: 'checkout/payments', key: 'retry-policy', reason: 'both_modified' }],
  },
  pull_request_blocked: {
    blocked_by: [{ reason: 'approvals', message: '1 approval is missing' }],
  },
  pull_request_closed: { id: '01k0a4g3v5x7y9z1b3d5f7h9jk', status_of_pull_request: 'merged' },
  pull_request_required: { branch: 'main' },
  replay_required: {
    fix_id: '01K9Z3V8M6T2Q4X7N5B1C0D9EF',
    set_id: 'regression',
    branch: 'repair/01K9Z3V8M6T2Q4X7N5B1C0D9EF',
  },
  target_moved: { branch: 'main' },
  merge_too_large: { max_entries: 10000 },
  log_rewound: { last_seq: 41, position: '41-k3f9a2' },
  method_not_allowed: { allow: ['GET', 'HEAD'] },
  version_conflict: { entity_path: 'checkout/payments', key: 'retry-policy', current_version: 4 },
  value_too_large: { entity_path: 'checkout/payments', key: 'retry-policy', max_value_bytes: 1048576 },
  invalid_input: { errors: [{ path: 'confidence', message: 'must be at most 1' }] },
  contract_violated: {
    entity_path: 'checkout/payments',
    key: 'retry-policy',
    errors: [
      {
        path: 'confidence',
        message: 'must be at least 0.5 (contract of the agent for checkout/**, key retry-*)',
        rule: 'min_confidence',
      },
    ],
  },
  plan_required: { plan_comparison_url: 'https://mem.example/plans' },
  quota_exceeded: { upgrade_url: 'https://mem.example/upgrade', ops_limit: 1000, ops_remaining: 0 },
  over_limit: { upgrade_url: 'https://mem.example/upgrade', limit: 'storage_bytes', allowed: 104857600 },
  too_many_open: { retry_after: 5, limit: 'open_sessions', allowed: 1000 },
  answer_erased: { idempotency_key: 'order-4711' },
  idempotency_mismatch: { idempotency_key: 'order-4711' },
  rate_limited: { retry_after: 1 },
  internal: { request_id: 'f3a1c05d9be27a46-1z' },
  unavailable: { retry_after: 1 },
  read_only: { primary: 'https://mem.example' },
  replica_behind: { retry_after: 1, primary: 'https://mem.example', seq: 41, min_seq: 42 },
  storage_damaged: { retry_after: 60 },
};

const pascal = (code: string) => code.replace(/(^|_)(\w)/g, (_, __, letter: string) => letter.toUpperCase());

/** Operations that return the same codes with a status share one response. */
export class Problems {
  readonly #responses = new Map<string, JsonObject>();
  readonly #codes = new Set<FaultCode>();

  get responses(): Record<string, JsonObject> {
    return Object.fromEntries([...this.#responses].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  get examples(): Record<string, JsonObject> {
    const codes = [...this.#codes].sort();
    return Object.fromEntries(codes.map((code) => [code, { summary: faultCodes[code].title, value: example(code) }]));
  }

  /** References to the responses, by status. */
  of(name: OperationName, method: HttpMethod): Record<string, JsonObject> {
    const byStatus = new Map<number, FaultCode[]>();
    for (const code of errorsOf(name, method)) {
      const { status } = faultCodes[code];
      byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
    }
    const answers = [...byStatus].sort(([a], [b]) => a - b);
    return Object.fromEntries(answers.map(([status, codes]) => [status, this.#response(codes.sort())]));
  }

  #response(codes: readonly FaultCode[]): JsonObject {
    const name = codes.map(pascal).join('Or');
    for (const code of codes) this.#codes.add(code);
    this.#responses.set(name, {
      description: codes.map((code) => `\`${code}\`: ${faultCodes[code].title}.`).join(' '),
      headers: { 'X-Request-Id': { $ref: '#/components/headers/RequestId' }, ...extraHeaders(codes) },
      content: {
        'application/problem+json': {
          schema: { $ref: '#/components/schemas/Problem' },
          examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
        },
      },
    });
    return { $ref: `#/components/responses/${name}` };
  }
}

function extraHeaders(codes: readonly FaultCode[]): JsonObject {
  if (codes.includes('unauthenticated'))
    return {
      'WWW-Authenticate': { description: 'How to present a key.', schema: { type: 'string', const: 'Bearer' } },
    };
  if (codes.some((code) => DETAILS[code]?.retry_after))
    return { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } };
  return {};
}

const example = (code: FaultCode) => new Fault(code, faultCodes[code].title, DETAILS[code]).toProblem();

export const problemSchema: JsonObject = {
  type: 'object',
  description: 'What went wrong, as RFC 9457 problem details. Some codes add members of their own.',
  required: ['type', 'title', 'status', 'detail', 'code'],
  properties: {
    type: { type: 'string', description: 'Names the kind of problem.', examples: ['urn:mem:error:not_found'] },
    title: { type: 'string', description: 'The kind of problem, for people.' },
    status: { type: 'integer', description: 'The HTTP status.' },
    detail: { type: 'string', description: 'This problem, for people.' },
    code: { type: 'string', description: 'For programs. It never changes.', enum: Object.keys(faultCodes) },
    errors: {
      type: 'array',
      description: 'With `invalid_input` and `contract_violated`: each field that does not fit.',
      items: {
        type: 'object',
        required: ['path', 'message'],
        properties: {
          path: { type: 'string' },
          message: { type: 'string' },
          rule: { type: 'string', description: 'With `contract_violated`: the rule that is broken.' },
        },
      },
    },
  },
  additionalProperties: true,
};
