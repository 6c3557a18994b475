const HOUR_MS = 3_600_000;

type RankedDigest = {
  digest_type: string;
  scope: string;
  entry_count: number;
  anticipation_score: number;
  compiled_at: string;
};

export type DigestReader = {
  path: string | undefined;
  agent_id: string;
  entities: readonly string[];
  agents: readonly string[];
  now: number;
};

/** Points for what a digest is about; a digest of the path itself comes first whatever else counts. */
function aboutPath({ digest_type, scope }: RankedDigest, { path, entities }: DigestReader): number {
  if (path === undefined) return 0;
  const isAt = (one: string) => one === path || one.startsWith(`${path}/`);
  if (scope === path) return { entity: 100, connection_map: 80, trace_pattern: 70 }[digest_type] ?? 0;
  if (digest_type === 'source') return entities.some(isAt) ? 60 : 0;
  if (digest_type === 'agent_brief') return entities.some(isAt) ? 40 : 0;
  return isAt(scope) ? 30 : 0;
}

function aboutAgent({ digest_type, scope }: RankedDigest, { path, agent_id, agents }: DigestReader): number {
  if (digest_type === 'agent_brief' && scope === agent_id) return path === undefined ? 100 : 45;
  return agents.includes(agent_id) ? 50 : 0;
}

/** How relevant a digest is: what it is about, how new it is, how much it covers, and how likely it is needed next. */
export function relevanceOf(digest: RankedDigest, reader: DigestReader): number {
  const ageHours = Math.max(0.01, (reader.now - Date.parse(digest.compiled_at)) / HOUR_MS);
  const recency = Math.min(10 / ageHours, 20);
  const size = Math.min(0.5 * digest.entry_count, 15);
  return aboutPath(digest, reader) + aboutAgent(digest, reader) + recency + size + 30 * digest.anticipation_score;
}
