/** The names of pages, as the navigation and the palette show them. */
export const pageTitles = {
  overview: 'Overview',
  memory: 'Memory',
  search: 'Search',
  timeline: 'Timeline',
  traces: 'Traces',
  agents: 'Agents',
  branches: 'Branches',
  pulls: 'Pull requests',
  briefings: 'Briefings',
  connectors: 'Connectors',
  keys: 'Keys',
  audit: 'Audit',
  usage: 'Usage and limits',
  retention: 'Retention',
  transfer: 'Export and import',
} as const;
