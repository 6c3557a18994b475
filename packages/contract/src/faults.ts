/** Every error that a caller can receive: its stable code, its HTTP status and a title for people. */
export const faultCodes = {
  invalid_json: { status: 400, title: 'The body is not readable JSON' },
  invalid_protobuf: { status: 400, title: 'The body is not readable protobuf' },
  invalid_request: { status: 400, title: 'The request is not valid HTTP' },
  invalid_cursor: { status: 400, title: 'The cursor was not made by this service' },
  unauthenticated: { status: 401, title: 'A valid API key is required' },
  invalid_signature: { status: 401, title: 'The signature is not valid' },
  plan_required: { status: 402, title: 'The account has no plan' },
  quota_exceeded: { status: 402, title: 'The ops of this month are used up' },
  over_limit: { status: 402, title: 'The plan does not allow more' },
  budget_spent: { status: 402, title: 'The budget for asking models is spent' },
  forbidden: { status: 403, title: 'The key does not allow this' },
  branch_access_denied: { status: 403, title: 'The key has no access to the branch' },
  host_not_allowed: { status: 403, title: 'The server does not answer under this host name' },
  origin_not_allowed: { status: 403, title: 'The server does not admit pages of this origin' },
  account_suspended: { status: 403, title: 'The account is suspended' },
  not_found: { status: 404, title: 'There is no such thing' },
  route_not_found: { status: 404, title: 'There is no such route' },
  connector_not_found: { status: 404, title: 'There is no such connector' },
  branch_not_found: { status: 404, title: 'There is no such branch' },
  room_not_found: { status: 404, title: 'There is no such room, or the account is not in it' },
  module_not_installed: { status: 404, title: 'This part of the service is not installed' },
  method_not_allowed: { status: 405, title: 'The route does not take this method' },
  request_timeout: { status: 408, title: 'The request took too long to arrive' },
  conflict: { status: 409, title: 'What is there does not allow this' },
  branch_closed: { status: 409, title: 'The branch is closed' },
  branch_protected: { status: 409, title: 'The branch is changed by merges only' },
  branch_read_only: { status: 409, title: 'The branch can only be read' },
  merge_conflicts: { status: 409, title: 'The merge has open conflicts' },
  pull_request_blocked: { status: 409, title: 'The pull request may not be merged yet' },
  pull_request_closed: { status: 409, title: 'The pull request is not open' },
  pull_request_required: { status: 409, title: 'The branch is changed by pull requests only' },
  replay_required: { status: 409, title: 'Regression cases have to pass first' },
  target_moved: { status: 409, title: 'The target has changed since' },
  log_rewound: { status: 409, title: 'The log was set back' },
  stale_reads: { status: 409, title: 'What was read has changed since' },
  entry_quarantined: { status: 409, title: 'The entry is under quarantine' },
  version_conflict: { status: 409, title: 'The entry is at another version' },
  body_too_large: { status: 413, title: 'The body is too large' },
  merge_too_large: { status: 413, title: 'The merge is too large' },
  value_too_large: { status: 413, title: 'The value is too large' },
  uri_too_long: { status: 414, title: 'The address is too long' },
  unsupported_media_type: { status: 415, title: 'The body is of a type that is not accepted' },
  read_only: { status: 421, title: 'This server only reads' },
  invalid_input: { status: 422, title: 'The input does not fit the operation' },
  contract_violated: { status: 422, title: 'The write breaks a rule of its agent' },
  looks_like_secret: { status: 422, title: 'The value looks like a secret' },
  answer_erased: { status: 410, title: 'The request was done, and its answer was erased' },
  idempotency_mismatch: { status: 422, title: 'The idempotency key was used for another request' },
  rate_limited: { status: 429, title: 'Too many requests' },
  too_many_open: { status: 429, title: 'Too many sessions or streams are open' },
  headers_too_large: { status: 431, title: 'The headers are too large' },
  internal: { status: 500, title: 'The service failed' },
  unavailable: { status: 503, title: 'The service cannot answer right now' },
  connector_not_configured: { status: 503, title: 'The connector is not configured' },
  model_not_configured: { status: 503, title: 'There is no language model that can be asked' },
  replica_behind: { status: 503, title: 'The replica has not got that far' },
  storage_damaged: { status: 503, title: 'A part of the stored data is damaged' },
  storage_full: { status: 507, title: 'The storage is full' },
} as const satisfies Record<string, { status: number; title: string }>;

export type FaultCode = keyof typeof faultCodes;

export type FieldError = { path: string; message: string };

/** An error that the caller can cause. Any other error is a bug and is answered with a bare `internal`. */
export class Fault extends Error {
  override name = 'Fault';
  readonly code: FaultCode;
  readonly detail: Record<string, unknown>;

  constructor(code: FaultCode, message: string, detail: Record<string, unknown> = {}) {
    super(message);
    this.code = code;
    this.detail = detail;
  }

  get status(): number {
    return faultCodes[this.code].status;
  }

  /** The RFC 9457 body. */
  toProblem(): Problem {
    const { status, title } = faultCodes[this.code];
    return { type: `urn:mem:error:${this.code}`, title, status, detail: this.message, code: this.code, ...this.detail };
  }
}

export type Problem = {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: FaultCode;
  errors?: FieldError[];
  [extra: string]: unknown;
};

export function invalidInput(errors: FieldError[]): Fault {
  const first = errors[0];
  const message = first ? `${first.path || 'input'}: ${first.message}` : 'invalid input';
  return new Fault('invalid_input', message, { errors });
}
