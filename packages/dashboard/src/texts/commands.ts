/** What can be done from everywhere. */
export const commands = {
  write: 'Write an entry',
  docs: 'API docs',
  palette: 'Search or jump to',
  keys: 'All keys',
  theme: 'Change the theme',
  copyLink: 'Copy the link to this page',
  linkCopied: 'Link copied',
  copyAs: 'Copy as curl, SDK or MCP call',
  find: 'Filter or search of the page',
  toRows: 'Rows of the page',
  back: 'Back to the list',
  pauseLive: 'Pause or resume live',
  tour: 'Take the tour',
  demoLoad: 'Load demo data',
  demoRemove: 'Remove demo data',
  /** Keys that parts of pages handle themselves. */
  parts: [
    { keys: 'j k', label: 'Next, previous row' },
    { keys: 'Enter', label: 'Open' },
    { keys: 'Escape', label: 'Close, or back to the list' },
    { keys: '[ ]', label: 'Previous, next version, span or step' },
  ],
} as const;
