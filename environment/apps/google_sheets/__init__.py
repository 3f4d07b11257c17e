"""Google Sheets: spreadsheets, their sheets and cells behind the v4 API."""
