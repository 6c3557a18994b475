/** What a search reads of entries on PostgreSQL; without row-level security it is of all accounts. */
export const createWordsView = `CREATE VIEW words_of_entries AS SELECT account_id, branch, entity_path, key, seq, search_words, word_count, agent_id,
              memory_type, written_at, is_artifact, pattern_refs, shared, deleted, ttl_at FROM entries`;
