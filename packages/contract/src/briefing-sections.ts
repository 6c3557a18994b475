/** The sections of a briefing, in the order in which `max_tokens` gives them room. */
export const briefingSections = [
  'discredited',
  'validated',
  'procedures',
  'changed',
  'tried_here',
  'who_to_ask',
  'digests',
] as const;
