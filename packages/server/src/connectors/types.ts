/** A delivery as a connector sees it. */
export type InboundEvent = {
  event_type: string;
  /** The body, parsed. */
  payload: unknown;
  /** By names in lower case, without those that carry signatures or credentials. */
  headers: Readonly<Record<string, string>>;
  /** The sender's id of the delivery. */
  id: string;
  received_at: string;
};

export type MemoryType = 'fact' | 'belief' | 'experience' | 'procedure';

/** An edge of the graph, from the entry that is written to an entry, a person or any other thing. */
export type ResultLink = { relation: string; to: string };

/** What an event says about an entry. */
export type EntryResult = {
  operation: 'write';
  entity_path: string;
  key: string;
  /** An object with `merge`; else any JSON value. */
  value: unknown;
  /**
   * When it happened, by the sender's clock. A state that is older than the stored one is not written, so that deliveries
   * may arrive in any order. Without it, the time of the delivery counts.
   */
  occurred_at?: string;
  /** Orders what happened at the same time; 0 by default. */
  rank?: number;
  /**
   * The members of the value are merged into those of the entry, each by its own time: a member that a later event set
   * stays, and one that no event named stays too. Without it, the value replaces that of the entry.
   */
  merge?: boolean;
  /** Lists in the value whose items have an id, with `merge`: by list and id, an item, or null to remove it. */
  items?: Readonly<Record<string, Readonly<Record<string, ResultItem | null>>>>;
  /**
   * A name of the thing that never changes, where its path or key may: with `merge`, all results that share it belong to one
   * entry, at the path and key of the latest of them. When those change, the entry moves with all that it holds.
   */
  thing?: string;
  /** The event leaves out the path of its `thing`: `entity_path` counts only until another result has a better one. */
  unplaced?: boolean;
  /** The thing is gone: the entry is deleted, and no older event brings it back. */
  deleted?: boolean;
  /** The value is the payload as it came: nothing in it was understood. */
  raw?: boolean;
  confidence?: number;
  memory_type?: MemoryType;
  artifact_refs?: readonly string[];
  links?: readonly ResultLink[];
  /** How work ended that named this reference. Recorded only where the operator asks for it. */
  outcome?: { outcome_ref: string; outcome_type: string };
};

/** `at` orders the items of a list. */
export type ResultItem = { at: string; [member: string]: unknown };

/** Something that happened and is no state of a thing: on the timeline and in digests. */
export type ContextResult = {
  operation: 'record_context';
  label: string;
  summary: string;
  source: string;
  /** The path that it belongs to; that of the manifest by default. */
  entity_path?: string;
};

export type ConnectorResult = EntryResult | ContextResult;

/** A request before its signature is checked. Names of headers are in lower case. */
export type RawDelivery = { body: Buffer; headers: Readonly<Record<string, string>> };

/** What a delivery is: its type, and an id that a repeated delivery has too. */
export type DeliveryName = { event_type: string; id: string };

/** What the author of a connector writes: a class with these methods, of which only `transform` is required. */
export type Connector = {
  transform(event: InboundEvent): readonly ConnectorResult[] | Promise<readonly ConnectorResult[]>;
  /**
   * Whether the signature of a delivery is right, or the reason why it is not, for the sender to read. By default an HMAC
   * of the body, by the algorithm and header of the manifest, in hexadecimal digits.
   */
  validate_signature?(delivery: RawDelivery, secret: string, now: number): boolean | string;
  /**
   * By default the headers `x-event-type` and `x-event-id`, else the members `event_type`, `type` and `id` of the payload, else a
   * hash of the body.
   */
  identify?(payload: unknown, headers: Readonly<Record<string, string>>): Partial<DeliveryName>;
  /** An answer to a request that is a question of the sender and no event, such as a challenge. */
  reply?(payload: unknown): Readonly<Record<string, unknown>> | undefined;
};

/** What the constructor of a connector gets: its variables that are set, and the defaults of its manifest. */
export type ConnectorOptions = { variables: Readonly<Record<string, string>>; config: Manifest['config'] };

export type ConnectorVariable = { name: string; description: string; required: boolean };

/** `connector.yaml`, checked and with its defaults. */
export type Manifest = {
  name: string;
  version: string;
  description: string;
  author?: string;
  license?: string;
  entry_point: string;
  webhook: {
    signature_header: string;
    signature_algorithm: 'hmac-sha256' | 'hmac-sha1' | 'hmac-sha512';
    signature_prefix: string;
    max_payload_bytes: number;
  };
  default_entity_path: string;
  event_types: readonly string[];
  env_vars: readonly ConnectorVariable[];
  min_amfs_version?: string;
  dependencies: readonly string[];
  config: { batch_size: number; retry_attempts: number; retry_delay_seconds: number; [name: string]: unknown };
};

/** What came of an event: results, or the reason why there are none. */
export type Transformed = { results: readonly ConnectorResult[] } | { failure: TransformFailure };

/** A failure is tried again if it may pass: after the delay of the manifest, or at once where only time was lacking. */
export type TransformFailure = { reason: string; passing: boolean; at_once?: boolean };

/** Whose events they are, so that no account waits for those of another, and whether they are tried again. */
export type TransformFor = { account_id?: string; again?: boolean };

/** A connector that the service runs. */
export type LoadedConnector = {
  manifest: Manifest;
  source: 'built-in' | 'installed';
  /** The secrets of the configuration: none, one, or two while one is replaced. */
  secrets: readonly string[];
  /** Accepts deliveries without a signature, from this machine only. */
  unsigned: boolean;
  /** Records outcomes that its results name. */
  records_outcomes: boolean;
  /** Required variables that are not set. */
  missing_variables: readonly string[];
  /** True, or why it is not: false where there is nothing to say. By the secrets of the configuration, or those given. */
  isSigned(delivery: RawDelivery, now: number, secrets?: readonly string[]): Promise<boolean | string>;
  identify(payload: unknown, delivery: RawDelivery): Promise<DeliveryName>;
  reply(payload: unknown): Promise<Readonly<Record<string, unknown>> | undefined>;
  /** Events that arrive together may be transformed together. Never rejects. A sender waits for it, unless it is done again. */
  transform(events: readonly InboundEvent[], given?: TransformFor): Promise<Transformed[]>;
};

/** The connectors of a service, by name. */
export type ConnectorHost = {
  readonly connectors: ReadonlyMap<string, LoadedConnector>;
  close(): Promise<void>;
};
