/** Loaded in the head before the styles, so that no page flashes in the wrong theme. */
const chosen = localStorage.getItem('mem.theme');
const isDark = chosen === null ? matchMedia('(prefers-color-scheme: dark)').matches : chosen === 'dark';
document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
