# Written by dyno design generate from production.yaml: change that file instead.

variable "prefix" {
  type        = string
  description = "What the names of tables begin with, such as my-app"
}

resource "aws_dynamodb_table" "app_table" {
  name                        = "${var.prefix}-AppTable"
  billing_mode                = "PAY_PER_REQUEST"
  hash_key                    = "PK"
  range_key                   = "SK"
  deletion_protection_enabled = true

  attribute {
    name = "PK"
    type = "S"
  }

  attribute {
    name = "SK"
    type = "S"
  }

  on_demand_throughput {
    max_read_request_units  = 50000
    max_write_request_units = 20000
  }

  ttl {
    attribute_name = "expiresAt"
    enabled        = true
  }

  point_in_time_recovery {
    enabled = true
  }
}

output "app_table_name" {
  value = aws_dynamodb_table.app_table.name
}

output "app_table_arn" {
  value = aws_dynamodb_table.app_table.arn
}
