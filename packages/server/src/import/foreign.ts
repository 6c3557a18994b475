/** An entry of another system, under its name here. */
export type ForeignEntry = {
  entity_path: string;
  key: string;
  value: unknown;
  agent_id?: string | undefined;
  session_id?: string | undefined;
  /** ISO 8601, in UTC. */
  written_at?: string | undefined;
  source_id?: string | undefined;
  /** When it expires. */
  ttl_at?: string | undefined;
  /** As stated there. Without it, that of any untested entry. */
  confidence?: number | undefined;
  memory_type?: 'fact' | 'belief' | 'experience' | 'procedure' | undefined;
  pattern_refs?: string[] | undefined;
};

export type ForeignLink = {
  source: string;
  source_type: 'entry' | 'entity';
  relation: string;
  target: string;
  target_type: 'entry' | 'entity';
  agent_id?: string | undefined;
};

export type ForeignData = {
  entries: ForeignEntry[];
  links: ForeignLink[];
  /** What was not imported, and why. */
  notes: string[];
};

/** `into` is the path below which everything is imported. */
export type ForeignReader = (path: string, into: string) => Promise<ForeignData>;

/** A file that is not in the expected format. */
export class ForeignError extends Error {
  override name = 'ForeignError';
}
