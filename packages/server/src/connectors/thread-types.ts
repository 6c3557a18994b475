import type { ConnectorOptions, RawDelivery } from './types.ts';

/** Methods of a connector that it may lack. */
export type OptionalMethod = 'validate_signature' | 'identify' | 'reply';

export type CallInput =
  | ({ name: 'validate_signature'; secret: string; now: number } & RawDelivery)
  | { name: 'identify'; payload: string; headers: RawDelivery['headers'] }
  | { name: 'reply'; payload: string };

/** What came of a call: JSON, the connector's own error, or why the connector did not get to it. */
export type CallOutcome = { output: unknown } | { failed: string } | { busy: string };

/** Where the class of a connector is. */
export type EntryPoint = { file: string; class_name: string; folder: string };

export type ThreadSpec = EntryPoint & {
  name: string;
  options: ConnectorOptions;
  batch_size: number;
  max_value_bytes: number;
  limits?: Partial<ThreadLimits>;
  /** Only to see whether its module loads and has the class. */
  is_check?: boolean;
  onWarning: (warning: string) => void;
  /** What the connector prints. */
  onOutput?: ((text: string) => void) | undefined;
};

export type ThreadLimits = {
  /** For the import of the module and the constructor. */
  start_ms: number;
  /** For `validate_signature`, `identify` and `reply`. */
  call_ms: number;
  /** For one event. */
  transform_ms: number;
  /** An account whose events ended the thread so often within a minute has to wait. */
  ends_a_minute: number;
  /** From the arrival of an event to its results, those before it included. */
  wait_ms: number;
  memory_mb: number;
  queued_events: number;
  queued_chars: number;
};

/** Senders wait three seconds or more: an event that takes longer is kept, and tried again without one. */
export const THREAD_LIMITS: ThreadLimits = {
  start_ms: 10_000,
  call_ms: 1_000,
  transform_ms: 1_000,
  wait_ms: 2_000,
  ends_a_minute: 2,
  memory_mb: 128,
  queued_events: 1_000,
  queued_chars: 32 * 1024 * 1024,
};

/** Where no sender waits. */
export const PATIENT_LIMITS = { transform_ms: 5_000, wait_ms: 10_000, ends_a_minute: 1_000 };

/** What a thread sends. It is not trusted to have this shape. */
export type ThreadMessage = {
  ready?: unknown;
  broken?: unknown;
  id?: unknown;
  output?: unknown;
  outputs?: unknown;
  failure?: unknown;
};
